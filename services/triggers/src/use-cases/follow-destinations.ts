import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { DestinationDeletion } from '../domain/connection-change.ts';
import type { ChangeSource, ChangeStore } from '../ports/changes.ts';
import type { TriggerStore } from '../ports/trigger-store.ts';
import { followChanges } from './follow-changes.ts';
import type { FollowChangesDeps } from './follow-changes.ts';

export interface FollowDestinationsDeps extends FollowChangesDeps {
  readonly changes: Pick<ChangeStore, 'cursor' | 'advance'>;
  readonly triggers: Pick<TriggerStore, 'removeDestinations'>;
  readonly clock: Clock;
}

/** Follows deletions of destinations: removes them from the triggers of their account. */
export async function followDestinations(
  deps: FollowDestinationsDeps & { readonly source: ChangeSource<DestinationDeletion> },
  ctx: RequestContext,
): Promise<void> {
  const { source, changes, triggers, clock } = deps;
  await followChanges(deps, source, ctx, async (page, cursor) => {
    for (const [accountId, of] of Map.groupBy(page, (each) => each.accountId)) {
      const ids = of.map(({ destinationId }) => destinationId);
      await triggers.removeDestinations(ctx, accountId, ids, clock.now());
    }
    await changes.advance(source.name, cursor, []);
  });
}
