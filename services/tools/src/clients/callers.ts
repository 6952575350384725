import { CallerService } from '@fairlead/contracts/gateway/v1/caller_service_pb';
import type { Clock } from '@fairlead/service-kit/clock';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import type { Timers } from '@fairlead/service-kit/timers';
import type { Callers } from '../ports/callers.ts';
import { callUntilAnswered, requireUnrefused, TRY_MS } from './gateway-calls.ts';

/** A client of what the gateway knows of callers. */
export function createCallersClient(o: {
  readonly peer: RpcPeer;
  readonly callerKeys: KeyRing;
  readonly clock: Clock;
  readonly timers: Timers;
}): Callers {
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
