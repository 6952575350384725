import type { CallOptions } from './call.ts';

/** The time limit of a call: one signal for deadline and cancellation, and the remaining time. */
export interface Deadline {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Whole milliseconds, never below 1: a timeout of 0 means "none" to most clients. */
  remainingMs(): number;
  /** Whether the caller cancelled, as opposed to the deadline passing. */
  isCancelled(): boolean;
  isOver(): boolean;
}

/** Starts the deadline of one call. It uses real time because it guards sockets. */
export function startDeadline({ signal, timeoutMs }: Pick<CallOptions, 'signal' | 'timeoutMs'>): Deadline {
  const startedAt = performance.now();
  const expiry = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)));
  return {
    signal: AbortSignal.any([signal, expiry]),
    timeoutMs,
    remainingMs: () => Math.max(1, Math.floor(timeoutMs - (performance.now() - startedAt))),
    isCancelled: () => signal.aborted,
    isOver: () => expiry.aborted || performance.now() - startedAt >= timeoutMs,
  };
}
