import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ConnectionChange } from '../domain/connection-change.ts';
import { CONNECTION_DELETED } from '../domain/trigger.ts';
import type { ChangeSource, ChangeStore } from '../ports/changes.ts';
import type { TriggerStore } from '../ports/trigger-store.ts';
import type { WebhookStore } from '../ports/webhook-store.ts';
import { followChanges } from './follow-changes.ts';
import type { FollowChangesDeps } from './follow-changes.ts';

export interface FollowConnectionsDeps extends FollowChangesDeps {
  readonly changes: ChangeStore;
  readonly triggers: Pick<TriggerStore, 'disableUses'>;
  readonly webhooks: Pick<WebhookStore, 'schedule'>;
  /** Called when changes were stored for which triggers must fire. */
  readonly onKept: () => void;
  readonly clock: Clock;
}

/**
 * Follows changes of connections. Each change is stored once until the account's triggers have fired, and triggers whose connection was
 * deleted are disabled.
 */
export async function followConnections(
  deps: FollowConnectionsDeps & { readonly source: ChangeSource<ConnectionChange> },
  ctx: RequestContext,
): Promise<void> {
  const { source, changes, triggers, webhooks, onKept, clock } = deps;
  await followChanges(deps, source, ctx, async (page, cursor) => {
    const has = await changes.accountsWithTriggers(accountsOf(page));
    const relevant = page.filter(({ accountId }) => has.has(accountId));
    const deleted = relevant.filter(({ triggerTypeSlug }) => triggerTypeSlug === 'connection_deleted');
    for (const [accountId, of] of Map.groupBy(deleted, (each) => each.accountId)) {
      const ids = of.map(({ connectionId }) => connectionId);
      await triggers.disableUses(ctx, accountId, ids, CONNECTION_DELETED, clock.now());
      await webhooks.schedule(ctx, accountId, { connectionIds: ids }, clock.now());
    }
    await changes.advance(source.name, cursor, relevant);
    if (relevant.length > 0) onKept();
  });
}

function accountsOf(changes: readonly ConnectionChange[]): readonly string[] {
  return [...new Set(changes.map(({ accountId }) => accountId))];
}
