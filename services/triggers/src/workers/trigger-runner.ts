import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import type { Claims } from '@fairlead/service-kit/sweep/claims';
import { startSweep } from '@fairlead/service-kit/sweep/sweep';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { FiringTrigger } from '../ports/trigger-store.ts';
import { runSchedule } from '../use-cases/run-schedule.ts';
import type { RunScheduleDeps } from '../use-cases/run-schedule.ts';

const PER_ACCOUNT = 10;
const IN_PROGRESS = 100;
/** Longer than a run takes. */
const CLAIM_MS = 30_000;
/** How late a schedule fires at most on a replica that is idle. */
const IDLE_MS = 1_000;

/** Runs schedules when they are due, in the background, on as many replicas as there are. */
export function startTriggerRunner<T extends object>(
  deps: RunScheduleDeps & {
    readonly claims: Claims<T>;
    readonly firingTrigger: (document: T) => FiringTrigger;
    readonly log: Logger;
  },
): BackgroundWork {
  const { claims, firingTrigger, clock, log } = deps;
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
    async work({ document, token, since }, signal) {
      const trigger = firingTrigger(document);
      const isCommitted = await runSchedule(deps, { trigger, token, since }, signal);
      if (!isCommitted) log.info({ triggerId: trigger.id }, 'a run of a trigger was overtaken by a change');
      // The run itself has settled the claim.
      return undefined;
    },
  });
}
