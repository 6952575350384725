/** A signal with a time limit that can be cancelled. */
export interface TimedSignal {
  /** Aborts when the outer signal does, with its reason, or when the time has passed, with a TimeoutError. */
  readonly signal: AbortSignal;
  isTimedOut(): boolean;
  /** Restarts the time limit with `leftMs`, unless it has passed or the signal has aborted. */
  restart(leftMs: number): void;
  /** From now on the signal does not abort, and its resources are released. Must be called when the work has ended. */
  end(): void;
}

/**
 * A signal that aborts with `outer` or after `timeoutMs`. Unlike `AbortSignal.any` with `AbortSignal.timeout`, it
 * leaves nothing behind: those keep a timer, and the objects that it references, until the time has passed, however
 * early the work ended. The timer does not keep the process alive.
 */
export function createTimedSignal(outer: AbortSignal, timeoutMs: number): TimedSignal {
  const controller = new AbortController();
  let isTimedOut = false;
  const onAbort = (): void => controller.abort(outer.reason);
  const end = (): void => {
    hasEnded = true;
    clearTimeout(timer);
    outer.removeEventListener('abort', onAbort);
  };
  const timeOut = (): void => {
    isTimedOut = true;
    outer.removeEventListener('abort', onAbort);
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  };
  let timer = setTimeout(timeOut, timeoutMs).unref();
  let hasEnded = false;
  const restart = (leftMs: number): void => {
    if (hasEnded || controller.signal.aborted) return;
    clearTimeout(timer);
    timer = setTimeout(timeOut, leftMs).unref();
  };
  if (outer.aborted) {
    end();
    onAbort();
  } else outer.addEventListener('abort', onAbort, { once: true });
  return { signal: controller.signal, isTimedOut: () => isTimedOut, restart, end };
}
