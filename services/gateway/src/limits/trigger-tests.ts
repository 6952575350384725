import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { WindowStore } from './domain/window-store.ts';
import { MINUTE_MS, secondsLeft, windowStart } from './domain/windows.ts';
import type { LimitedAccount, TriggerTestVerdict } from './limits.ts';
import { decided } from './metrics.ts';
import { answerOf } from './store-answer.ts';
import type { Timers } from './timers.ts';

/**
 * Counts trigger tests: so few a minute that each is a write, but for those that are refused: that a minute is full is
 * remembered until it ends.
 */
export function createTriggerTests(o: {
  readonly store: WindowStore;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}): (account: LimitedAccount) => Promise<TriggerTestVerdict> {
  /** How much of the minute was used when it was full. */
  const full = new Map<string, number>();
  let minute = 0;
  return async ({ accountId, budgets }) => {
    const limit = budgets.triggerTestPerMinute;
    const now = o.clock.now().getTime();
    const startsAt = windowStart(now, MINUTE_MS);
    if (startsAt !== minute) full.clear();
    minute = startsAt;
    const refused = { isAllowed: false, retryAfterSeconds: secondsLeft(now, MINUTE_MS) } as const;
    if ((full.get(accountId) ?? 0) >= limit) {
      decided.triggerTest.refused.add();
      return refused;
    }
    const window = { accountId, budget: 'triggerTest', startsAt } as const;
    const order = { limit, returned: 0, demand: 1, extra: 0 };
    const answer = await answerOf(o.store.exchange(window, order), o.timers);
    if (!answer.isAnswered) {
      decided.triggerTest.unavailable.add();
      o.log.warn({ err: answer.error }, 'a trigger test cannot be counted');
      throw new ApiError('UNAVAILABLE', 'Trigger tests cannot be counted at the moment. Try again shortly.');
    }
    const { granted, used } = answer.value;
    if (used >= limit && startsAt === minute) full.set(accountId, used);
    decided.triggerTest[granted > 0 ? 'allowed' : 'refused'].add();
    return granted > 0 ? { isAllowed: true } : refused;
  };
}
