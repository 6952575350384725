import { validationError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { nextPollAt, pollPeriodMs } from '../domain/poll.ts';
import { scheduleOf, tickAfter } from '../domain/schedule.ts';
import type { Trigger, TriggerType } from '../domain/trigger.ts';
import type { TriggerCalls } from '../ports/trigger-calls.ts';
import type { TriggerStart } from '../ports/trigger-store.ts';
import { registerWebhook } from './register-webhook.ts';
import type { RegisterWebhookDeps } from './register-webhook.ts';

export interface StartTriggerDeps extends RegisterWebhookDeps {
  readonly calls: Pick<TriggerCalls, 'seedPoll'>;
}

/**
 * The initial run state of an enabled trigger of this type; `now` is when it was enabled. A poll starts at the current items, which do not
 * fire. For a webhook type, an address is registered at the vendor. VALIDATION_ERROR on `connectionId`, with the application's words, if it
 * refuses.
 */
export async function startTrigger(
  deps: StartTriggerDeps,
  ctx: RequestContext,
  type: TriggerType,
  trigger: Pick<Trigger, 'id' | 'connectionId' | 'configuration'>,
  now: Date,
): Promise<TriggerStart> {
  const { configuration } = trigger;
  const of = { ...trigger, triggerTypeSlug: type.slug };
  const none = { dueAt: null, poll: null, webhookId: null };
  if (type.webhook !== null) return { ...none, webhookId: await registerWebhook(deps, ctx, of) };
  if (type.kind === 'schedule')
    return { ...none, dueAt: tickAfter(scheduleOf(configuration.parseObject(), now), now) ?? null };
  if (type.kind !== 'poll') return none;
  const seeded = await deps.calls.seedPoll(ctx, of);
  if (!seeded.isSuccess) throw validationError({ field: 'connectionId', issue: seeded.errorMessage });
  const dueAt = nextPollAt(now, pollPeriodMs(type, configuration.parseObject()), 0);
  return { ...none, dueAt, poll: { cursor: seeded.value, failures: 0 } };
}
