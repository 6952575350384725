import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { createRateBound } from '../rate-bound.ts';

/** Thrown if the client has cancelled the request, and so expects no answer. */
export class CancelledError extends ApiError {
  constructor() {
    super('TIMEOUT', 'The client cancelled the request.');
  }
}

/** Identifies a request of a session: the session's key, and the JSON of the request's id. */
export interface SessionRequest {
  readonly sessionKey: string;
  readonly requestId: string;
}

/** The requests of sessions in progress, at this replica and others. */
export interface RunningRequests {
  /** Runs the work of a request with a context that aborts on cancellation; in that case it throws a CancelledError. */
  run<T>(ctx: RequestContext, request: SessionRequest, work: (ctx: RequestContext) => Promise<T>): Promise<T>;
  /** Cancels a request at whichever replica it runs. Never rejects; if no replica gets the message, the request continues. */
  cancel(accountId: string, request: SessionRequest): void;
}

/** Sends cancellations to all replicas, and calls back with each received one. */
export interface CancellationPipe {
  readonly publish: (request: SessionRequest) => void;
  readonly subscribe: (onCancel: (request: SessionRequest) => void) => void;
}

/** Maximum rate of cancellations sent to other replicas; further ones are dropped. */
const PER_SESSION = { perSecond: 5, burst: 20 };
const PER_ACCOUNT = { perSecond: 50, burst: 200 };

/** Requests by session and id. If a session has two with the same id, which the protocol forbids, both are cancelled. */
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
