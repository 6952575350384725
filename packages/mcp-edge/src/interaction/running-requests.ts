import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { createRateBound } from '../rate-bound.ts';

/** The client has cancelled the request: it does not expect an answer. */
export class CancelledError extends ApiError {
  constructor() {
    super('TIMEOUT', 'The client cancelled the request.');
  }
}

/** A request of a session: the session's key, and the JSON of the request's id. */
export interface SessionRequest {
  readonly sessionKey: string;
  readonly requestId: string;
}

/** The requests of sessions that are being handled, here or on other replicas. */
export interface RunningRequests {
  /** Does the work for a request, with a context that its cancellation aborts; then throws a CancelledError. */
  run<T>(ctx: RequestContext, request: SessionRequest, work: (ctx: RequestContext) => Promise<T>): Promise<T>;
  /** Cancels a request, wherever it is handled. Never rejects: one that is not reached is not cancelled. */
  cancel(accountId: string, request: SessionRequest): void;
}

/** Sends cancellations to all replicas, and calls back with each one. */
export interface CancellationPipe {
  readonly publish: (request: SessionRequest) => void;
  readonly subscribe: (onCancel: (request: SessionRequest) => void) => void;
}

/** Cancellations that other replicas are told of; those beyond these bounds are dropped. */
const PER_SESSION = { perSecond: 5, burst: 20 };
const PER_ACCOUNT = { perSecond: 50, burst: 200 };

/** Requests by session and id. Two of a session with the same id, which the protocol forbids, are cancelled together. */
export function createRunningRequests(o: CancellationPipe & { readonly clock: Clock }): RunningRequests {
  const running = new Map<string, Set<AbortController>>();
  const ofSession = createRateBound({ ...PER_SESSION, clock: o.clock });
  const ofAccount = createRateBound({ ...PER_ACCOUNT, clock: o.clock });
  const nameOf = ({ sessionKey, requestId }: SessionRequest): string => `${sessionKey} ${requestId}`;

  function cancelHere(request: SessionRequest): boolean {
    const found = running.get(nameOf(request));
    for (const call of found ?? []) call.abort();
    return found !== undefined;
  }
  o.subscribe((request) => void cancelHere(request));

  return {
    async run(ctx, request, work) {
      const name = nameOf(request);
      const call = new AbortController();
      const calls = running.get(name) ?? new Set();
      running.set(name, calls.add(call));
      const abort = (): void => call.abort(ctx.signal.reason);
      ctx.signal.addEventListener('abort', abort);
      if (ctx.signal.aborted) abort();
      try {
        return await work({ ...ctx, signal: call.signal });
      } catch (error) {
        throw call.signal.aborted && !ctx.signal.aborted ? new CancelledError() : error;
      } finally {
        ctx.signal.removeEventListener('abort', abort);
        calls.delete(call);
        if (calls.size === 0) running.delete(name);
      }
    },
    cancel(accountId, request) {
      if (cancelHere(request)) return;
      if (ofAccount.take(accountId) && ofSession.take(request.sessionKey)) o.publish(request);
    },
  };
}
