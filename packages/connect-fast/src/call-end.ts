import { Code, ConnectError } from '@connectrpc/connect';

// A longer one overflows Node's timers and would fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Ends a call before its response: what an AbortSignal does, at a part of its cost. */
export class CallEnd {
  aborted = false;
  /** Why, once `aborted`. */
  reason: unknown;
  /** Called once if the call ends before its response; the one who waits for that sets it. */
  onAbort: (() => void) | undefined;
  readonly #outer: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  #controller: AbortController | undefined;

  /** Ends the call at the deadline `timeoutMs` from now (absent or 0: none) or when `outer` aborts. */
  constructor(outer: AbortSignal | undefined, timeoutMs: number | undefined) {
    this.#outer = outer;
    if (outer?.aborted === true) this.#onOuter();
    else outer?.addEventListener('abort', this.#onOuter);
    if (timeoutMs !== undefined && timeoutMs > 0)
      this.#timer = setTimeout(this.#onDeadline, Math.min(timeoutMs, LONGEST_TIMER_MS));
  }

  /** The same end as a signal, for interceptors. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.aborted) this.#controller.abort(this.reason);
    return this.#controller.signal;
  }

  /** The error to throw for a call that failed with `error`: the end that preceded its response, if there was one. */
  reasonFor(error: unknown): ConnectError {
    return this.aborted ? ConnectError.from(this.reason, Code.Canceled) : ConnectError.from(error);
  }

  /** Marks the call as finished and stops the timer. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#onOuter);
  }

  readonly #onOuter = (): void => this.#abort(this.#outer?.reason);

  readonly #onDeadline = (): void =>
    this.#abort(new ConnectError('the operation timed out', Code.DeadlineExceeded));

  #abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#controller?.abort(reason);
    this.onAbort?.();
  }
}
