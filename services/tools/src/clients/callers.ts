import { CallerService } from '@fairlead/contracts/gateway/v1/caller_service_pb';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { Timers } from '@fairlead/service-kit/timers';
import type { Callers } from '../ports/callers.ts';
import { callUntilAnswered, requireUnrefused, TRY_MS } from './gateway-calls.ts';

/** A client of the gateway's CallerService. */
export function createCallersClient(o: RpcClientOptions & { readonly timers: Timers }): Callers {
  const rpc = createRpcClient(CallerService, { ...o, defaultTimeoutMs: TRY_MS });
  const message =
    'It cannot be checked now whether the caller may still act. Nothing was executed; try again.';
  return {
    async requireCurrent(ctx) {
      const check = () => rpc.checkCaller(ctx, {});
      requireUnrefused((await callUntilAnswered(check, ctx, { timers: o.timers, message })).refusal);
    },
  };
}
