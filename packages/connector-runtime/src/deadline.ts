import { createTimedSignal } from '@fairlead/service-kit/timed-signal';
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
  /** Stops the timer. Must be called when the call has ended. */
  end(): void;
}

/** Starts the deadline of one call. It uses real time because it guards sockets. */
export function startDeadline({ signal, timeoutMs }: Pick<CallOptions, 'signal' | 'timeoutMs'>): Deadline {
  const startedAt = performance.now();
  const timed = createTimedSignal(signal, Math.max(1, Math.ceil(timeoutMs)));
  return {
    signal: timed.signal,
    timeoutMs,
    remainingMs: () => Math.max(1, Math.floor(timeoutMs - (performance.now() - startedAt))),
    isCancelled: () => signal.aborted,
    isOver: () => timed.isTimedOut() || performance.now() - startedAt >= timeoutMs,
    end: () => timed.end(),
  };
}
