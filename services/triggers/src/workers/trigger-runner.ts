import { ApiError } from '@fairlead/errors/api-error';
import type { ErrorCode } from '@fairlead/errors/catalogue';
import { createRequestContext } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import type { RepeatedWork } from '@fairlead/service-kit/lifecycle/background';
import type { Claimed, Claims } from '@fairlead/service-kit/sweep/claims';
import { startSweep } from '@fairlead/service-kit/sweep/sweep';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { ClaimedRun } from '../ports/trigger-store.ts';
import { runPoll } from '../use-cases/run-poll.ts';
import type { RunPollDeps } from '../use-cases/run-poll.ts';
import { runSchedule } from '../use-cases/run-schedule.ts';
import type { RunScheduleDeps } from '../use-cases/run-schedule.ts';
import { createCountedRuns, observeRun } from './run-metrics.ts';

const PASSING: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'TIMEOUT', 'RATE_LIMIT_EXCEEDED']);
const PER_ACCOUNT = 10;
const IN_PROGRESS = 100;
/** Longer than a run takes, which ends after RUN_MS. */
const CLAIM_MS = 60_000;
/** A call of an application takes 35 s at most. */
const RUN_MS = 50_000;
/** What a run needs is busy or away: it is tried again after this, long before its claim ends. */
const RETRY_MS = 2_000;
/** How late a trigger runs at most on a replica that is idle. */
const IDLE_MS = 1_000;

/** Runs schedules and polls when they are due, in the background, on as many replicas as there are. */
export function startTriggerRunner<T extends object>(
  deps: RunScheduleDeps &
    RunPollDeps & {
      readonly claims: Claims<T>;
      readonly claimedRun: (claimed: Claimed<T>) => ClaimedRun;
      readonly log: Logger;
    },
): RepeatedWork {
  const { claims, claimedRun, clock, log } = deps;
  const counted = { ...deps, runs: createCountedRuns(deps.runs) };
  return startSweep({
    name: 'triggers',
    claims,
    perLane: PER_ACCOUNT,
    inProgress: IN_PROGRESS,
    claimMs: CLAIM_MS,
    idleMs: IDLE_MS,
    clock,
    timers: systemTimers,
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
        // The trigger is due since when it was.
        await claims.defer([claimed], new Date(clock.now().getTime() + RETRY_MS));
        return undefined;
      }
      observeRun(run, performance.now() - startedMs);
      // The run itself has settled the claim.
      if (outcome) return undefined;
      log.info({ triggerId: trigger.id }, 'a run of a trigger was overtaken by a change');
      // Written only if the claim still holds: the trigger runs again as it is now, for the time at which it was due.
      return { at: claimed.since };
    },
  });
}

/** A failure that will pass by itself; others are thrown. */
function passing(error: unknown): ApiError {
  if (error instanceof ApiError && PASSING.has(error.code)) return error;
  throw error;
}

/** The context of a run, for which no user waits. */
function contextOf({ trigger: { accountId } }: ClaimedRun, signal: AbortSignal, log: Logger): RequestContext {
  const caller = { kind: 'serviceForAccount', service: 'triggers', accountId } as const;
  const deadline = new Date(Date.now() + RUN_MS);
  return createRequestContext({ requestId: uuidv7(), caller, signal, deadline, log });
}
