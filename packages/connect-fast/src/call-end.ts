import { Code, ConnectError } from '@connectrpc/connect';

// Maximum timeout; a longer one overflows Node's timers and would fire at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The end of a call before its response. Works like an AbortSignal, but costs less. */
export class CallEnd {
  aborted = false;
  /** The reason, once `aborted`. */
  reason: unknown;
  /** Called once if the call ends before its response. Set by the code that waits for the response. */
  onAbort: (() => void) | undefined;
  readonly #outer: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  #controller: AbortController | undefined;

  /** Ends the call `timeoutMs` from now (absent or 0: never) or when `outer` aborts. */
  constructor(outer: AbortSignal | undefined, timeoutMs: number | undefined) {
    this.#outer = outer;
    if (outer?.aborted === true) this.#onOuter();
    else outer?.addEventListener('abort', this.#onOuter);
    if (timeoutMs !== undefined && timeoutMs > 0)
      this.#timer = setTimeout(this.#onDeadline, Math.min(timeoutMs, LONGEST_TIMER_MS));
  }

  /** This end as a signal, for interceptors. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.aborted) this.#controller.abort(this.reason);
    return this.#controller.signal;
  }

  /** The error to throw for a call that failed with `error`: the reason of an earlier end, if there was one. */
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
