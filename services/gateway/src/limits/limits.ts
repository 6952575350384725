import type { Clock } from '@fairlead/service-kit/clock';
import { guid } from '@fairlead/service-kit/ids';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import type { Budgets } from '../identity/domain/budgets.ts';
import { natsBurstBus } from './events/burst-bus.ts';
import { createLimiter } from './limiter.ts';
import { watch } from './metrics.ts';
import { mongoWindowStore } from './storage/mongo-window-store.ts';
import { systemTimers } from './timers.ts';

/** Whose budgets a call is counted in, with what they are as of now. */
export interface LimitedAccount {
  readonly accountId: string;
  readonly budgets: Budgets;
}

/** Whether a call is let in, and what its answer says about it. */
export interface Verdict {
  readonly isAllowed: boolean;
  /** Value of Retry-After: 1 where a second was full, 3600 where an hour was or both were; 0 where the call is let in. */
  readonly retryAfterSeconds: number;
  /** Value of the header RateLimit: what is left after this call, and in how many seconds that is anew. */
  readonly rateLimit: string;
  /** Value of the header RateLimit-Policy. */
  readonly policy: string;
}

/** What a trigger test is told. */
export type TriggerTestVerdict =
  | { readonly isAllowed: true }
  | {
      readonly isAllowed: false;
      /** Seconds until the next test is let in. */
      readonly retryAfterSeconds: number;
    };

/** The rate budgets of accounts, counted together with the other replicas of the gateway. */
export interface Limits {
  /**
   * Counts a call, in the budgets of searches too where it is one; a call that is refused counts nowhere. Answers at once
   * where it can from memory. Throws or rejects with UNAVAILABLE where the lease of the hour is spent and the database is
   * away.
   */
  admit(account: LimitedAccount, kind: 'call' | 'search'): Verdict | Promise<Verdict>;
  /** The headers for a call that no budget counts. */
  peek(account: LimitedAccount): Verdict;
  /** Counts a trigger test in the minute of now; one that is refused counts nowhere. Rejects with UNAVAILABLE. */
  takeTriggerTest(account: LimitedAccount): Promise<TriggerTestVerdict>;
  /** Gives what is leased and not spent back, and tells the other replicas. */
  close(): Promise<void>;
}

/** Limits of one replica, on the database and NATS that all of them share. `store` has `limitCollections`. */
export function createLimits(o: {
  readonly store: MongoStore;
  readonly nats: Nats;
  readonly clock: Clock;
  readonly log: Logger;
}): Limits {
  const { state, ...limits } = createLimiter({
    replica: guid(),
    store: mongoWindowStore(o.store),
    bus: natsBurstBus(o.nats),
    clock: o.clock,
    timers: systemTimers,
    log: o.log,
  });
  const unwatch = watch(state);
  return {
    ...limits,
    close() {
      unwatch();
      return limits.close();
    },
  };
}
