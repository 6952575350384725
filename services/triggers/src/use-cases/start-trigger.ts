import { scheduleOf, tickAfter } from '../domain/schedule.ts';
import type { Trigger, TriggerType } from '../domain/trigger.ts';

/** When an enabled trigger of this type runs next, `now` being when it was enabled; null: it does not run by itself. */
export function startTrigger(
  { kind }: Pick<TriggerType, 'kind'>,
  { configuration }: Pick<Trigger, 'configuration'>,
  now: Date,
): Date | null {
  if (kind !== 'schedule') return null;
  return tickAfter(scheduleOf(configuration, now), now) ?? null;
}
