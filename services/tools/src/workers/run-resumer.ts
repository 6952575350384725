import type { Clock } from '@fairlead/service-kit/clock';
import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import type { Claim } from '@fairlead/service-kit/sweep/claims';
import { startSweep } from '@fairlead/service-kit/sweep/sweep';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { systemTimers } from '@fairlead/service-kit/timers';
import { RUN_LEASE_MS, RunLeftError } from '../domain/workflow-run.ts';
import type { RunDrain } from '../ports/run-drain.ts';
import type { DueRun, DueRuns, LeasedRun } from '../ports/workflow-runs.ts';
import { workOnRun } from '../use-cases/workflows/work-on-run.ts';
import type { RunPorts } from '../ports/execution-ports.ts';

export interface RunResumerDeps<T extends DueRun> extends RunPorts {
  readonly due: DueRuns<T>;
  readonly leasedRun: (claimed: Claim<T>) => LeasedRun;
  readonly drain: RunDrain;
  readonly clock: Clock;
  readonly log: Logger;
}

const PER_ACCOUNT = 5;
const IN_PROGRESS = 50;

/**
 * In the background, takes over workflow runs with expired leases, whose processes have died. The claim of the sweep is the lease, which
 * the run itself renews.
 */
export function startRunResumer<T extends DueRun>(deps: RunResumerDeps<T>): BackgroundWork {
  const { due, leasedRun, drain, clock, log } = deps;
  return startSweep({
    name: 'workflow-runs',
    claims: due,
    perPartition: PER_ACCOUNT,
    inProgress: IN_PROGRESS,
    claimMs: RUN_LEASE_MS,
    clock,
    timers: systemTimers,
    log,
    async work(claimed) {
      const run = leasedRun(claimed);
      const { accountId, historyId } = run.head;
      log.info({ accountId, historyId }, 'a workflow run is taken over');
      try {
        await drain.track(workOnRun(deps, run, { inputSecrets: [], isResumed: true }));
      } catch (error) {
        if (!(error instanceof RunLeftError)) throw error;
      }
      return undefined;
    },
  });
}
