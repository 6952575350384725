import { ApiError, notFound, validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { checkTriggerBounds } from '../domain/trigger.ts';
import type { Trigger, TriggerContent, TriggerType } from '../domain/trigger.ts';
import type { TriggerChange, TriggerStore } from '../ports/trigger-store.ts';
import type { TriggerTypes } from '../ports/trigger-types.ts';
import { checkContent } from './check-content.ts';
import type { CheckContentDeps } from './check-content.ts';
import { findConnection } from './find-connection.ts';
import type { FindConnectionDeps } from './find-connection.ts';
import { startTrigger } from './start-trigger.ts';

/** What updateTrigger needs. */
export interface UpdateTriggerDeps extends CheckContentDeps, FindConnectionDeps {
  readonly types: TriggerTypes;
  readonly triggers: Pick<TriggerStore, 'find' | 'update'>;
  readonly clock: Clock;
}

/** What people may ask to change; an absent member keeps its value. */
export type RequestedChange = Partial<TriggerContent> & {
  readonly triggerTypeSlug?: string;
  /** `id` undefined: no connection is named. */
  readonly connection?: { readonly id: number | undefined };
};

/** How often a change is tried again because another one came first. */
const TRIES = 5;

/**
 * Changes a trigger and raises its generation, so that nothing commits any more that ran by its former members. Refused as
 * createTrigger is, and VALIDATION_ERROR for another type. What starts anew (it was disabled, or has another configuration or
 * connection) counts from now.
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
    const change = { ...content, connectionId, ...runOf(type, current, { ...content, connectionId }, now) };
    const { generation } = current;
    const updated = await triggers.update(ctx, accountId, { id, generation }, change, now);
    if (updated !== undefined) return updated;
  }
  throw new ApiError('CONFLICT', 'The trigger was changed by others at the same time. Try again.');
}

/** The connection after a change. One that is to be enabled needs one that exists. */
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

/** What a change means for when the trigger runs. */
function runOf(
  type: TriggerType,
  current: Trigger,
  {
    isEnabled = current.isEnabled,
    configuration,
    connectionId,
  }: Partial<TriggerContent> & { connectionId: number },
  now: Date,
): TriggerChange {
  if (!isEnabled) return { enabledAt: null, dueAt: null };
  const startsAnew =
    !current.isEnabled || configuration !== undefined || connectionId !== current.connectionId;
  if (!startsAnew) return {};
  const dueAt = startTrigger(type, { configuration: configuration ?? current.configuration }, now);
  return { enabledAt: now, dueAt, lastError: null };
}
