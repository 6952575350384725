import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { TriggerStore } from '../ports/trigger-store.ts';

/** What removeConnectionUses needs. */
export interface RemoveConnectionUsesDeps {
  readonly triggers: Pick<TriggerStore, 'disableUses'>;
  readonly clock: Clock;
}

/** Disables every trigger of the account that uses one of these connections. */
export async function removeConnectionUses(
  { triggers, clock }: RemoveConnectionUsesDeps,
  ctx: RequestContext,
  connectionIds: readonly number[],
): Promise<void> {
  if (connectionIds.length === 0) return;
  const reason = 'The connection of the trigger was deleted.';
  await triggers.disableUses(ctx, accountOf(ctx), connectionIds, reason, clock.now());
}
