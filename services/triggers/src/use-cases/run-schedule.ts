import type { Clock } from '@fairlead/service-kit/clock';
import { prefixedId } from '@fairlead/service-kit/ids';
import { composeEvent } from '../domain/event.ts';
import { latestTick, scheduleOf, tickAfter } from '../domain/schedule.ts';
import type { Filters } from '../ports/filters.ts';
import type { ClaimedTrigger, TriggerRuns } from '../ports/trigger-store.ts';

interface RunScheduleDeps {
  readonly runs: TriggerRuns;
  readonly filters: Pick<Filters, 'run'>;
  readonly clock: Clock;
}

/**
 * Fires a schedule for its due time, or after an outage for the latest missed time, unless its filter rejects it; then schedules the next
 * time. False: nothing was written, because the trigger was changed or claimed by another process.
 */
export async function runSchedule(
  { runs, filters, clock }: RunScheduleDeps,
  run: ClaimedTrigger,
  signal: AbortSignal,
): Promise<boolean> {
  const { trigger, since } = run;
  const { accountId, id: triggerId, triggerTypeSlug: triggerType, destinationIds, filter } = trigger;
  const schedule = scheduleOf(trigger.configuration.parseObject(), trigger.enabledAt ?? since);
  const scheduledAt = latestTick(schedule, since, clock.now());
  const dueAt = tickAfter(schedule, scheduledAt) ?? null;
  const payload = Buffer.from(JSON.stringify({ scheduledAt: scheduledAt.toISOString() }));
  const verdict =
    filter === null
      ? ({ kind: 'passed' } as const)
      : await filters.run(filter, payload, { accountId, signal });
  const firing = {
    accountId,
    triggerId,
    triggerType,
    destinationIds,
    payload,
    occurredAt: scheduledAt,
    firingKey: `tick:${scheduledAt.toISOString()}`,
  };
  const isEvent = verdict.kind === 'passed';
  return runs.commit(run, {
    events: isEvent ? [composeEvent(firing, prefixedId('te'), clock.now())] : [],
    dueAt,
    ...(verdict.kind === 'failed' && { lastError: verdict.message }),
    ...(isEvent && { lastError: null }),
  });
}
