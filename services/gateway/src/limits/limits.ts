import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { guid } from '@fairlead/service-kit/ids';
import { createExactLimit } from '@fairlead/limiter/exact-limit';
import { createLimiter } from '@fairlead/limiter/limiter';
import type { Decision, Limit } from '@fairlead/limiter/limit';
import { watch } from '@fairlead/limiter/metrics';
import { mongoWindowStore } from '@fairlead/limiter/mongo-window-store';
import { HOUR_MS, MINUTE_MS, secondsLeft } from '@fairlead/limiter/windows';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { Budgets } from '@fairlead/access/budgets';
import type { CallLimits, LimitedAccount, Verdict } from '@fairlead/rest-kit/call-limits';
import {
  ACCOUNT_LIMITS,
  hookLimitsOf,
  limitsOf,
  policyOf,
  rateLimitOf,
  stepLimitsOf,
} from './domain/budget-limits.ts';
import { natsBurstBus } from './events/burst-bus.ts';
import { natsHookBus } from './events/hook-bus.ts';

/** Whether a trigger test is admitted. */
export type TriggerTestVerdict =
  | { readonly isAllowed: true }
  | {
      readonly isAllowed: false;
      /** Seconds until the next test is admitted. */
      readonly retryAfterSeconds: number;
    };

/** Whether the hourly limit admits the step. */
export interface StepVerdict {
  readonly isAllowed: boolean;
  /** Seconds until the hour ends. */
  readonly renewsInSeconds: number;
}

/**
 * Rate budgets of accounts, counted together with the other replicas of the gateway. `admit` throws UNAVAILABLE if the calls that this
 * replica has leased for the hour are used up and the database is unavailable.
 */
export interface Limits extends CallLimits {
  /** Counts a trigger test in the current minute; a refused test is not counted. Rejects with UNAVAILABLE. */
  takeTriggerTest(account: LimitedAccount): Promise<TriggerTestVerdict>;
  /** Counts a step of a workflow under the account's hourly limit of calls. Rejects with UNAVAILABLE. */
  takeStep(account: LimitedAccount): Promise<StepVerdict>;
  /** Counts a call to a trigger's inbound address if its budget admits it; returns whether it does. */
  admitHook(triggerId: string, budgets: Budgets): boolean;
  /** Returns unused leased calls, and stops counting together with the other replicas. */
  close(): Promise<void>;
}

/** The limits for one kind of call under given budgets, and their policy header. */
interface LimitSet {
  readonly limits: readonly Limit[];
  readonly policy: string;
}

/** The limits of one replica, over the database and NATS that all replicas share. `store` has `rateWindowCollection`. */
export function createRateLimits(o: {
  readonly store: MongoStore;
  readonly nats: Nats;
  readonly clock: Clock;
  readonly log: Logger;
}): Limits {
  const parts = { store: mongoWindowStore(o.store), clock: o.clock, timers: systemTimers, log: o.log };
  const limiter = createLimiter({ ...parts, replica: guid(), bus: natsBurstBus(o.nats) });
  const hooks = createLimiter({ ...parts, replica: guid(), bus: natsHookBus(o.nats) });
  const triggerTests = createExactLimit({ ...parts, name: 'triggerTest', windowMs: MINUTE_MS });
  const unwatch = watch(limiter.state);
  const setsOf = limitSets();
  const hookSetsOf = oncePerBudgets(hookLimitsOf);
  const stepSetsOf = oncePerBudgets(stepLimitsOf);
  const accountPolicy = policyOf(ACCOUNT_LIMITS);

  /** The headers show the account's budgets; a refused call's headers also show the limit that refused it. */
  function judgeExempt({ accountId, budgets }: LimitedAccount): Verdict {
    const decision = limiter.admit(accountId, ACCOUNT_LIMITS);
    // Only hourly windows are leased from the database, so this limit is decided from memory.
    if (decision instanceof Promise) throw new Error('A limit of one second had to wait.');
    const set = setsOf(budgets).call;
    const standing = verdictOf(set, limiter.peek(accountId, set.limits));
    if (decision.outcome !== 'refused') return standing;
    return {
      isAllowed: false,
      retryAfterSeconds: 1,
      rateLimit: `${rateLimitOf(ACCOUNT_LIMITS, decision.remaining, decision.atMs)}, ${standing.rateLimit}`,
      policy: `${accountPolicy}, ${standing.policy}`,
    };
  }

  return {
    admit(account, kind) {
      if (kind === 'exempt') return judgeExempt(account);
      const { accountId, budgets } = account;
      const set = setsOf(budgets)[kind];
      const decision = limiter.admit(accountId, set.limits);
      return decision instanceof Promise
        ? decision.then((decided) => verdictOf(set, decided))
        : verdictOf(set, decision);
    },
    peek({ accountId, budgets }, calls = 0) {
      const set = setsOf(budgets).call;
      return verdictOf(set, requiring(calls, set.limits, limiter.peek(accountId, set.limits)));
    },
    async takeTriggerTest({ accountId, budgets }) {
      const decision = await triggerTests(accountId, budgets.triggerTestPerMinute);
      if (decision.outcome === 'unavailable')
        throw new ApiError(
          'UNAVAILABLE',
          'Trigger tests cannot be counted at the moment. Try again shortly.',
        );
      if (decision.outcome === 'admitted') return { isAllowed: true };
      return { isAllowed: false, retryAfterSeconds: decision.retryAfterSeconds };
    },
    async takeStep({ accountId, budgets }) {
      const decision = await limiter.admit(accountId, stepSetsOf(budgets));
      if (decision.outcome === 'unavailable')
        throw new ApiError('UNAVAILABLE', 'Calls cannot be counted at the moment. Try again shortly.');
      return {
        isAllowed: decision.outcome === 'admitted',
        renewsInSeconds: secondsLeft(decision.atMs, HOUR_MS),
      };
    },
    admitHook(triggerId, budgets) {
      const decision = hooks.admit(triggerId, hookSetsOf(budgets));
      // Only hourly windows are leased from the database, so this limit is decided from memory.
      if (decision instanceof Promise) throw new Error('A limit of one second had to wait.');
      return decision.outcome === 'admitted';
    },
    async close() {
      unwatch();
      await Promise.all([limiter.close(), hooks.close()]);
    },
  };
}

/** Caches `make` per Budgets object, so that the limiter also prepares each list of limits only once. */
function oncePerBudgets<T>(make: (budgets: Budgets) => T): (budgets: Budgets) => T {
  const known = new WeakMap<Budgets, { readonly made: T }>();
  return (budgets) => {
    const found = known.get(budgets) ?? { made: make(budgets) };
    known.set(budgets, found);
    return found.made;
  };
}

/** The limits of budgets, with the headers that name them. */
function limitSets(): (budgets: Budgets) => { readonly call: LimitSet; readonly search: LimitSet } {
  return oncePerBudgets((budgets) => {
    const { call, search } = limitsOf(budgets);
    return {
      call: { limits: call, policy: policyOf(call) },
      search: { limits: search, policy: policyOf(search) },
    };
  });
}

/** Throws UNAVAILABLE if the call cannot be counted. */
function verdictOf({ limits, policy }: LimitSet, decision: Decision): Verdict {
  if (decision.outcome === 'unavailable')
    throw new ApiError('UNAVAILABLE', 'Calls cannot be counted at the moment. Try again shortly.');
  return {
    isAllowed: decision.outcome === 'admitted',
    retryAfterSeconds: retryAfterOf(decision),
    rateLimit: rateLimitOf(limits, decision.remaining, decision.atMs),
    policy,
  };
}

/** Whether the limits still admit this number of calls. */
function requiring(calls: number, limits: readonly Limit[], standing: Decision): Decision {
  if (standing.outcome === 'unavailable') return standing;
  const short = limits.filter((_limit, at) => (standing.remaining[at] ?? 0) < calls);
  if (short.length === 0) return standing;
  const fullWindow = short.some(({ window }) => window === 'hour') ? 'hour' : 'second';
  return { ...standing, outcome: 'refused', fullWindow };
}

/** For an hourly limit, Retry-After is always 3600 seconds, not the rest of the hour (row completion.everywhere.54). */
function retryAfterOf(decision: Exclude<Decision, { outcome: 'unavailable' }>): number {
  if (decision.outcome === 'admitted') return 0;
  return decision.fullWindow === 'hour' ? 3600 : 1;
}
