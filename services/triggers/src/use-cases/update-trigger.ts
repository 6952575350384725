import { ApiError, notFound, validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { isSameConfiguration } from '../domain/configuration.ts';
import { asksTheSame, nextPollAt, pollPeriodMs } from '../domain/poll.ts';
import { checkTriggerBounds } from '../domain/trigger.ts';
import type { Trigger, TriggerContent, TriggerType } from '../domain/trigger.ts';
import type { TriggerChange, TriggerStore } from '../ports/trigger-store.ts';
import type { WebhookStore } from '../ports/webhook-store.ts';
import type { TriggerTypes } from '../ports/trigger-types.ts';
import { changeRegistrations } from './change-registrations.ts';
import type { ChangeRegistrationsDeps } from './change-registrations.ts';
import { checkContent } from './check-content.ts';
import type { CheckContentDeps } from './check-content.ts';
import { findConnection } from './find-connection.ts';
import type { FindConnectionDeps } from './find-connection.ts';
import { startTrigger } from './start-trigger.ts';
import type { StartTriggerDeps } from './start-trigger.ts';
import { withoutDeleted } from './without-deleted.ts';

interface UpdateTriggerDeps
  extends CheckContentDeps, FindConnectionDeps, StartTriggerDeps, ChangeRegistrationsDeps {
  readonly types: TriggerTypes;
  readonly triggers: Pick<TriggerStore, 'find' | 'update' | 'removeDestinations' | 'disableUses'>;
  readonly webhooks: Pick<WebhookStore, 'insert' | 'settle' | 'schedule'>;
  readonly clock: Clock;
}

/** The members that users may change; an absent one keeps its value. */
export type RequestedChange = Partial<TriggerContent> & {
  readonly triggerTypeSlug?: string;
  /** `id` undefined: the request names none. */
  readonly connection?: { readonly id: number | undefined };
};

/** Retries after concurrent changes. */
const TRIES = 5;

/**
 * Changes a trigger and increments its generation, so that runs with the former members commit nothing. Refusals as for createTrigger; also
 * VALIDATION_ERROR for another type. A trigger that was disabled, or gets another configuration or connection, starts anew from now;
 * sending the same configuration and connection changes nothing.
 */
export async function updateTrigger(
  deps: UpdateTriggerDeps,
  ctx: RequestContext,
  id: string,
  requested: RequestedChange,
): Promise<Trigger> {
  const { types, triggers, clock } = deps;
  const { triggerTypeSlug, connection: _named, ...content } = requested;
  const accountId = accountOf(ctx);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const current = await triggers.find(ctx, accountId, id);
    if (current === undefined) throw notFound('trigger');
    checkTriggerBounds(content);
    if (triggerTypeSlug !== undefined && triggerTypeSlug !== current.triggerTypeSlug)
      throw validationError({
        field: 'triggerTypeSlug',
        issue: `must not change; it is ${current.triggerTypeSlug}`,
      });
    const type = await types.resolve(ctx, current.triggerTypeSlug);
    const connectionId = await connectionOf(deps, ctx, type, current, requested);
    await checkContent(deps, ctx, type, content);
    const now = clock.now();
    const run = await runOf(deps, ctx, { type, current, change: { ...content, connectionId } }, now);
    const change = { ...content, connectionId, ...run };
    const { generation } = current;
    const write = () => triggers.update(ctx, accountId, { id, generation }, change, now);
    const updated =
      run.webhookId === undefined || (run.webhookId === null && current.webhookId === null)
        ? await write()
        : await changeRegistrations(deps, ctx, { accountId, triggerId: id }, write);
    const named = {
      destinationIds: content.destinationIds ?? [],
      connectionId: run.enabledAt === undefined ? undefined : connectionId,
    };
    if (updated !== undefined) return withoutDeleted(deps, ctx, updated, named);
  }
  throw new ApiError('CONFLICT', 'The trigger was changed by others at the same time. Try again.');
}

/** The connection after a change. An enabled trigger needs an existing one. */
async function connectionOf(
  deps: FindConnectionDeps,
  ctx: RequestContext,
  type: TriggerType,
  current: Trigger,
  { connection, isEnabled = current.isEnabled }: RequestedChange,
): Promise<number> {
  const named = connection?.id;
  if (named !== undefined || (connection !== undefined && type.requiresConnection))
    return findConnection(deps, ctx, type, named);
  if (!isEnabled || current.isEnabled) return current.connectionId;
  const isGone = (await deps.connections.find(ctx, current.connectionId)) === undefined;
  if (isGone && !type.requiresConnection) return findConnection(deps, ctx, type, undefined);
  return findConnection(deps, ctx, type, current.connectionId);
}

/** The effect of a change on the trigger's runs. */
async function runOf(
  deps: StartTriggerDeps,
  ctx: RequestContext,
  o: {
    readonly type: TriggerType;
    readonly current: Trigger;
    readonly change: Partial<TriggerContent> & { readonly connectionId: number };
  },
  now: Date,
): Promise<TriggerChange> {
  const { type, current } = o;
  const { isEnabled, configuration, connectionId } = { ...current, ...o.change };
  if (!isEnabled) return { enabledAt: null, dueAt: null, poll: null, webhookId: null };
  const changed = { id: current.id, connectionId, configuration };
  const isSame =
    connectionId === current.connectionId &&
    isSameConfiguration(type.kind, current.configuration, configuration);
  if (current.isEnabled && isSame) return {};
  // The cursor stays, so that items since the last run are not lost when only the period changes.
  if (current.isEnabled && type.kind === 'poll' && asksTheSame(current, changed))
    return { dueBy: nextPollAt(now, pollPeriodMs(type, configuration.parseObject()), 0) };
  return { enabledAt: now, ...(await startTrigger(deps, ctx, type, changed, now)), lastError: null };
}
