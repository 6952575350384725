import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { prefixedId, randomBase62 } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';
import { checkTriggerBounds, HTTP_WEBHOOK, tooManyTriggers, TRIGGER_LIMITS } from '../domain/trigger.ts';
import type { Trigger, TriggerContent } from '../domain/trigger.ts';
import type { TriggerStore } from '../ports/trigger-store.ts';
import type { TriggerTypes } from '../ports/trigger-types.ts';
import { checkContent } from './check-content.ts';
import type { CheckContentDeps } from './check-content.ts';
import { findConnection } from './find-connection.ts';
import type { FindConnectionDeps } from './find-connection.ts';
import { startTrigger } from './start-trigger.ts';
import type { StartTriggerDeps } from './start-trigger.ts';
import { withoutDeleted } from './without-deleted.ts';

interface CreateTriggerDeps extends CheckContentDeps, FindConnectionDeps, StartTriggerDeps {
  readonly types: TriggerTypes;
  readonly triggers: Pick<TriggerStore, 'count' | 'find' | 'insert' | 'removeDestinations' | 'disableUses'>;
  readonly clock: Clock;
}

/** 190 bits. */
const TOKEN_CHARACTERS = 32;

/**
 * Stores a trigger, enabled or not. NOT_FOUND for a type, connection or destination that does not exist; EMPTY_QUERY and WRONG_APPLICATION
 * as for findConnection; VALIDATION_ERROR for a configuration that violates the type's schema or a filter that does not parse; CONFLICT if
 * the account has the maximum.
 */
export async function createTrigger(
  deps: CreateTriggerDeps,
  ctx: RequestContext,
  {
    triggerTypeSlug,
    connectionId: named,
    ...content
  }: TriggerContent & {
    readonly triggerTypeSlug: string;
    /** Undefined: the request names none. */
    readonly connectionId: number | undefined;
  },
): Promise<Trigger> {
  const { types, triggers, clock } = deps;
  checkTriggerBounds(content);
  const type = await types.resolve(ctx, triggerTypeSlug);
  const accountId = accountOf(ctx);
  // Checked before a vendor is called; the insert checks again.
  if ((await triggers.count(ctx, accountId, TRIGGER_LIMITS.perAccount)) >= TRIGGER_LIMITS.perAccount)
    throw tooManyTriggers();
  // Checked before findConnection, which may create a connection.
  if (named !== undefined || type.requiresConnection) await findConnection(deps, ctx, type, named);
  await checkContent(deps, ctx, type, content);
  const connectionId = named ?? (await findConnection(deps, ctx, type, undefined));
  const now = clock.now();
  const id = prefixedId('trg');
  const { configuration, isEnabled } = content;
  const start = isEnabled
    ? await startTrigger(deps, ctx, type, { id, connectionId, configuration }, now)
    : { dueAt: null, poll: null, webhookId: null };
  const written = await triggers.insert(ctx, accountId, {
    ...content,
    id,
    triggerTypeSlug,
    applicationSlug: type.applicationSlug,
    connectionId,
    enabledAt: content.isEnabled ? now : null,
    ...start,
    hookToken: triggerTypeSlug === HTTP_WEBHOOK ? new Secret(randomBase62(TOKEN_CHARACTERS)) : null,
    createdAt: now,
  });
  return withoutDeleted(deps, ctx, written, { destinationIds: content.destinationIds, connectionId: named });
}
