import { Code, ConnectError } from '@connectrpc/connect';

/** Ends a call before its response. */
export interface CallEnd {
  /** Aborts when the caller gives up, and at the deadline. */
  readonly signal: AbortSignal;
  /** The error to throw for a call that failed with `error`: the end that preceded its response, if there was one. */
  reasonFor(error: unknown): ConnectError;
  /** Marks the call as finished and stops the timer. */
  dispose(): void;
}

// A longer one overflows Node's timers and would fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Ends a call at the deadline `timeoutMs` from now (absent or 0: none) or when `outer` aborts. */
export function createCallEnd(outer: AbortSignal | undefined, timeoutMs: number | undefined): CallEnd {
  const abort = new AbortController();
  const onOuter = (): void => abort.abort(outer?.reason);
  if (outer?.aborted === true) onOuter();
  else outer?.addEventListener('abort', onOuter, { once: true });
  const onDeadline = (): void =>
    abort.abort(new ConnectError('the operation timed out', Code.DeadlineExceeded));
  const timer =
    timeoutMs === undefined || timeoutMs <= 0
      ? undefined
      : setTimeout(onDeadline, Math.min(timeoutMs, LONGEST_TIMER_MS));
  return {
    signal: abort.signal,
    reasonFor: (error) =>
      abort.signal.aborted ? ConnectError.from(abort.signal.reason, Code.Canceled) : ConnectError.from(error),
    dispose() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', onOuter);
    },
  };
}
