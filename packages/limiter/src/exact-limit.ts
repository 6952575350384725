import type { Clock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';
import { recordDecision } from './metrics.ts';
import { answerOf } from './store-answer.ts';
import type { WindowStore } from './window-store.ts';
import { secondsLeft, windowStart } from './windows.ts';

/** The decision of an exact limit on one call. */
export type ExactDecision =
  | {
      readonly outcome: 'admitted';
      /**
       * Takes the call out of the window in which it was counted; to be called at most once. Rejects if it is not certain that this
       * happened.
       */
      giveBack(): Promise<void>;
    }
  | {
      readonly outcome: 'refused';
      /** Seconds until the next window begins. */
      readonly retryAfterSeconds: number;
    }
  | { readonly outcome: 'unavailable' };

/** Counts a call of this key unless all `max` calls of the window are used. */
export type ExactLimit = (key: string, max: number) => Promise<ExactDecision>;

/** How long a replica trusts that a window is full, although another replica may have returned a call to it. */
const FULL_MS = 1_000;

/**
 * A limit for rare calls: each call is one write to the store, so that replicas share every window exactly. Once a window is full, calls
 * are refused from memory for a second.
 */
export function createExactLimit(o: {
  /** Labels metrics and names the windows in the store. */
  readonly name: string;
  /** Length of the fixed UTC windows. */
  readonly windowMs: number;
  readonly store: WindowStore;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}): ExactLimit {
  const { name, windowMs } = o;
  /** The number of calls of a full window, by key, and until when this is believed. */
  const full = new Map<string, { readonly used: number; readonly until: number }>();
  let current = 0;
  return async (key, max) => {
    const now = o.clock.now().getTime();
    const startsAt = windowStart(now, windowMs);
    if (startsAt !== current) full.clear();
    current = startsAt;
    const refused = { outcome: 'refused', retryAfterSeconds: secondsLeft(now, windowMs) } as const;
    const known = full.get(key);
    if (known !== undefined && known.used >= max && now < known.until) {
      recordDecision(name, 'refused');
      return refused;
    }
    const window = { key, name, startsAt };
    const order = { limit: max, returned: 0, demand: 1, extra: 0 };
    const answer = await answerOf(o.store.fillOrder(window, order), o.timers);
    if (!answer.isAnswered) {
      recordDecision(name, 'unavailable');
      o.log.warn({ err: answer.error, limit: name }, 'a call cannot be counted');
      return { outcome: 'unavailable' };
    }
    const { granted, used } = answer.value;
    if (used >= max && startsAt === current) full.set(key, { used, until: now + FULL_MS });
    recordDecision(name, granted > 0 ? 'allowed' : 'refused');
    if (granted === 0) return refused;
    return {
      outcome: 'admitted',
      async giveBack() {
        const answer = await answerOf(o.store.giveBack([{ window, amount: 1 }]), o.timers);
        full.delete(key);
        if (!answer.isAnswered) throw answer.error;
      },
    };
  };
}
