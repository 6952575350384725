import { validationError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { nextPollAt, pollPeriodMs } from '../domain/poll.ts';
import { scheduleOf, tickAfter } from '../domain/schedule.ts';
import type { Trigger, TriggerType } from '../domain/trigger.ts';
import type { TriggerCalls } from '../ports/trigger-calls.ts';
import type { TriggerStart } from '../ports/trigger-store.ts';

/** What startTrigger needs. */
export interface StartTriggerDeps {
  readonly calls: Pick<TriggerCalls, 'seedPoll'>;
}

/**
 * How an enabled trigger of this type runs, `now` being when it was enabled. A poll is seeded: what its application has does not
 * fire. VALIDATION_ERROR on `connectionId`, with the application's words, if that is refused.
 */
export async function startTrigger(
  { calls }: StartTriggerDeps,
  ctx: RequestContext,
  type: TriggerType,
  trigger: Pick<Trigger, 'connectionId' | 'configuration'>,
  now: Date,
): Promise<TriggerStart> {
  const { configuration, connectionId } = trigger;
  if (type.kind === 'schedule')
    return { dueAt: tickAfter(scheduleOf(configuration, now), now) ?? null, poll: null };
  if (type.kind !== 'poll') return { dueAt: null, poll: null };
  const seeded = await calls.seedPoll(ctx, { triggerTypeSlug: type.slug, connectionId, configuration });
  if (!seeded.isSuccess) throw validationError({ field: 'connectionId', issue: seeded.errorMessage });
  const dueAt = nextPollAt(now, pollPeriodMs(type, configuration), 0);
  return { dueAt, poll: { cursor: seeded.value, failures: 0 } };
}
