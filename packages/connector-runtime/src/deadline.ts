import { createTimedSignal } from '@fairlead/service-kit/timed-signal';
import type { CallOptions } from './call.ts';

/** The time limit of a call: one signal for deadline and cancellation, and the remaining time. */
export interface Deadline {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /**
   * Remaining time in whole milliseconds, rounded up, so that work with this time limit does not end before the deadline. At least 1,
   * because most clients take a timeout of 0 as "none". Includes the time allowed for the client's answers.
   */
  remainingMs(): number;
  /** Whether the caller cancelled the call, rather than the deadline passing. */
  isCancelled(): boolean;
  isOver(): boolean;
  /** Awaits an answer of the MCP client. The clock stops meanwhile, for at most CallOptions.answerMs in all. */
  pauseFor<T>(answer: () => Promise<T>): Promise<T>;
  /** Stops the timer. Must be called when the call has ended. */
  end(): void;
}

/** Starts the deadline of one call. It uses real time because it guards sockets. */
export function startDeadline({
  signal,
  timeoutMs,
  answerMs = 0,
}: Pick<CallOptions, 'signal' | 'timeoutMs' | 'answerMs'>): Deadline {
  const startedAt = performance.now();
  const timed = createTimedSignal(signal, Math.max(1, Math.ceil(timeoutMs)));
  /** Number of pending answers, the time since which any is pending, and the total of earlier waits. */
  let awaited = 0;
  let awaitedSince = 0;
  let pausedBeforeMs = 0;
  const pausedMs = (): number =>
    Math.min(answerMs, pausedBeforeMs + (awaited > 0 ? performance.now() - awaitedSince : 0));
  const leftMs = (): number => timeoutMs + pausedMs() - (performance.now() - startedAt);
  const leftWithPausesMs = (): number => leftMs() + answerMs - pausedMs();
  return {
    signal: timed.signal,
    timeoutMs,
    remainingMs: () => Math.max(1, Math.ceil(leftWithPausesMs())),
    isCancelled: () => signal.aborted,
    isOver: () => timed.isTimedOut() || leftMs() <= 0,
    async pauseFor(answer) {
      if (awaited === 0) {
        awaitedSince = performance.now();
        timed.restart(Math.ceil(leftWithPausesMs()));
      }
      awaited += 1;
      try {
        return await answer();
      } finally {
        if (awaited === 1) pausedBeforeMs = pausedMs();
        awaited -= 1;
        if (awaited === 0) timed.restart(Math.max(1, Math.ceil(leftMs())));
      }
    },
    end: () => timed.end(),
  };
}
