import type { ServiceImpl } from '@connectrpc/connect';
import type { HookService } from '@fairlead/contracts/triggers/v1/hook_service_pb';
import { requirePlatform } from '@fairlead/service-kit/context/context';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { captureCalls } from '../use-cases/capture-calls.ts';
import type { CaptureCallsDeps } from '../use-cases/capture-calls.ts';
import { resolveHook } from '../use-cases/resolve-hook.ts';
import { toHookResult } from './convert-hook.ts';

/** HookService of proto/fairlead/triggers/v1 over the use cases. Only the platform itself may call it; other callers get FORBIDDEN. */
export function createHookService(deps: CaptureCallsDeps): ServiceImpl<typeof HookService> {
  return {
    async resolveHook({ tokenHash }, h) {
      requirePlatform(requestContext(h));
      return (await resolveHook(deps, tokenHash)) ?? {};
    },
    async captureCalls({ calls, onlyQuick }, h) {
      const ctx = requestContext(h);
      requirePlatform(ctx);
      return { results: (await captureCalls(deps, ctx, calls, { onlyQuick })).map(toHookResult) };
    },
    async captureLargeCall({ call, body }, h) {
      const ctx = requestContext(h);
      requirePlatform(ctx);
      const calls = call === undefined ? [] : [{ ...call, body }];
      const [outcome] = await captureCalls(deps, ctx, calls, { onlyQuick: false });
      return outcome === undefined ? {} : { result: toHookResult(outcome) };
    },
  };
}
