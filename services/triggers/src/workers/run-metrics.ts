import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import type { ClaimedTrigger, RunResult, TriggerRuns } from '../ports/trigger-store.ts';

const ended = registry.counter({
  name: 'trigger_runs_total',
  help: 'Runs of schedules and polls, by how they ended: with events (fired), without (quiet), with an error that the trigger shows (failed), or with nothing written because the trigger was changed or claimed meanwhile (overtaken).',
  labels: ['kind', 'outcome'],
});

const duration = registry.histogram({
  name: 'trigger_run_duration_seconds',
  help: 'How long runs of schedules and polls took, with the call of the application.',
  labels: ['kind'],
});

const gaps = registry.counter({
  name: 'trigger_gaps_total',
  help: 'Periods in which a poll may have missed firings.',
  labels: [],
});

/** Counts runs as they end. */
export function createCountedRuns(runs: TriggerRuns): TriggerRuns {
  return {
    async commit(run, result) {
      const isCommitted = await runs.commit(run, result);
      ended.series(kindOf(run), isCommitted ? outcomeOf(result) : 'overtaken').add();
      if (isCommitted) gaps.series().add(result.gaps?.length ?? 0);
      return isCommitted;
    },
  };
}

/** Records the duration of a run. */
export function observeRun(run: Pick<ClaimedTrigger, 'poll'>, tookMs: number): void {
  duration.series(kindOf(run)).observe(tookMs / 1_000);
}

function kindOf({ poll }: Pick<ClaimedTrigger, 'poll'>): string {
  return poll === null ? 'schedule' : 'poll';
}

function outcomeOf({ events, lastError }: RunResult): string {
  if (typeof lastError === 'string') return 'failed';
  return events.length > 0 ? 'fired' : 'quiet';
}
