import { setTimeout } from 'node:timers/promises';
import { Backoff } from '../channel/backoff.ts';
import { UnavailableError } from '../channel/channel-errors.ts';

/** Waits; rejects with an AbortError when `signal` aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal });
}

/**
 * Repeats `attempt` while the platform is unavailable, until it succeeds, fails for another reason, or `signal`
 * aborts. `onFailure` gets each failed attempt.
 */
export async function retrying<T>(
  attempt: () => Promise<T>,
  o: {
    readonly signal: AbortSignal;
    readonly backoff?: Backoff;
    readonly onFailure?: (error: UnavailableError) => void;
  },
): Promise<T> {
  const backoff = o.backoff ?? new Backoff();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      o.onFailure?.(error);
      await pause(backoff.next(), o.signal);
    }
  }
}
