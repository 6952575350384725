import { CallerRefusal } from '@fairlead/contracts/gateway/v1/caller_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Timers } from '@fairlead/service-kit/timers';
import { CallerRefusedError } from '../domain/caller-refused-error.ts';

/** Timeout of one attempt: the gateway answers within milliseconds, or once its database is available again. */
export const TRY_MS = 6_000;
/** Retries cover a restart of the gateway, which takes a few seconds. */
const TRIES = 6;
const PAUSE_MS = 1_000;
const PASSING = ['UNAVAILABLE', 'TIMEOUT'];

/** Calls the gateway until it answers; after some attempts throws UNAVAILABLE with this message. */
export async function callUntilAnswered<R>(
  call: () => Promise<R>,
  { signal }: Pick<RequestContext, 'signal'>,
  { timers, message }: { readonly timers: Timers; readonly message: string },
): Promise<R> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await call();
    } catch (error) {
      const isPassing = error instanceof ApiError && PASSING.includes(error.code);
      if (!isPassing || signal.aborted) throw error;
      if (tried === TRIES) throw new ApiError('UNAVAILABLE', message);
      await new Promise<void>((resolve) => {
        timers.after(PAUSE_MS, resolve);
      });
    }
  }
}

/** Throws CallerRefusedError if the gateway refused the caller. Reasons that this release does not know count as the first one. */
export function requireUnrefused(refusal: CallerRefusal): void {
  switch (refusal) {
    case CallerRefusal.UNSPECIFIED:
      return;
    case CallerRefusal.INACTIVE_USER:
      throw new CallerRefusedError('inactiveUser');
    case CallerRefusal.MISSING_PERMISSION:
      throw new CallerRefusedError('missingPermission');
    case CallerRefusal.INVALID_CREDENTIAL:
    default:
      throw new CallerRefusedError('invalidCredential');
  }
}
