import { ApiError } from '@fairlead/errors/api-error';
import type { ErrorCode } from '@fairlead/errors/catalogue';
import { createRequestContext } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import type { RepeatedWork } from '@fairlead/service-kit/lifecycle/background';
import type { Claim, Claims } from '@fairlead/service-kit/sweep/claims';
import { startSweep } from '@fairlead/service-kit/sweep/sweep';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { Timers } from '@fairlead/service-kit/timers';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { ClaimedTrigger } from '../ports/trigger-store.ts';
import { runPoll } from '../use-cases/run-poll.ts';
import { runSchedule } from '../use-cases/run-schedule.ts';
import { createCountedRuns, observeRun } from './run-metrics.ts';

const PASSING: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'TIMEOUT', 'RATE_LIMIT_EXCEEDED']);
/**
 * Polls have their own permits, because a poll waits for its application. A schedule takes a moment, and one that fires every second must
 * miss no time.
 */
const LIMITS = {
  schedules: { perPartition: 50, inProgress: 500, idleMs: 500 },
  polls: { perPartition: 10, inProgress: 100, idleMs: 1_000 },
} as const;
/** Longer than a run, which ends after RUN_MS. */
const CLAIM_MS = 60_000;
/** A call of an application takes 35 s at most. */
const RUN_MS = 50_000;
/** Pause before a run whose peer is busy or unavailable is retried; much shorter than the claim. */
const RETRY_MS = 2_000;

/** In the background, runs schedules or polls when they are due, on all replicas. When one ends, the next starts at once. */
export function startTriggerRunner<T extends object>(
  deps: DepsOf<typeof runSchedule | typeof runPoll> & {
    readonly claims: Claims<T>;
    readonly claimedRun: (claimed: Claim<T>) => ClaimedTrigger;
    readonly log: Logger;
    /** Default: timers of the process. */
    readonly timers?: Timers;
  },
  name: keyof typeof LIMITS,
): RepeatedWork {
  const { claims, claimedRun, clock, log, timers = systemTimers } = deps;
  const counted = { ...deps, runs: createCountedRuns(deps.runs) };

  /** Makes a trigger due again shortly, keeping its due time. If the database is unavailable, it is due when the claim ends. */
  async function putOff(claimed: Claim<T>, signal: AbortSignal): Promise<void> {
    for (let isDeferred = false; !isDeferred && !signal.aborted;) {
      isDeferred = await claims.defer([claimed], new Date(clock.now().getTime() + RETRY_MS)).then(
        () => true,
        () => false,
      );
      // Keeps its permit meanwhile: otherwise failing runs would rush through all triggers of an account.
      await new Promise<void>((resolve) => void timers.after(RETRY_MS, resolve));
    }
  }

  return startSweep({
    name,
    claims,
    ...LIMITS[name],
    goesOn: true,
    claimMs: CLAIM_MS,
    clock,
    timers,
    log,
    async work(claimed, signal) {
      const run = claimedRun(claimed);
      const { poll, trigger } = run;
      const startedMs = performance.now();
      const running =
        poll === null
          ? runSchedule(counted, run, signal)
          : runPoll(counted, contextOf(run, signal, log), { ...run, poll });
      const outcome = await running.catch(passing);
      if (outcome instanceof ApiError) {
        log.info({ err: outcome, triggerId: trigger.id }, 'a run of a trigger is tried again in a moment');
        await putOff(claimed, signal);
        return undefined;
      }
      observeRun(run, performance.now() - startedMs);
      // The run itself has released the claim.
      if (outcome) return undefined;
      log.info({ triggerId: trigger.id }, 'a run of a trigger was overtaken by a change');
      // Written only if the claim is still valid: the trigger runs again in its current state, for its due time.
      return { at: claimed.since };
    },
  });
}

/** The message of a temporary failure; other errors are rethrown. */
function passing(error: unknown): ApiError {
  if (error instanceof ApiError && PASSING.has(error.code)) return error;
  throw error;
}

/** The context of a run in the background. */
function contextOf(
  { trigger: { accountId } }: ClaimedTrigger,
  signal: AbortSignal,
  log: Logger,
): RequestContext {
  const caller = { kind: 'serviceForAccount', service: 'triggers', accountId } as const;
  const deadline = new Date(Date.now() + RUN_MS);
  return createRequestContext({ requestId: uuidv7(), caller, signal, deadline, log });
}
