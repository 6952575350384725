import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { CONNECTION_DELETED } from '../domain/trigger.ts';
import type { Registrations } from '../ports/registrations.ts';
import type { TriggerStore } from '../ports/trigger-store.ts';

interface RemoveConnectionUsesDeps {
  readonly triggers: Pick<TriggerStore, 'disableUses'>;
  readonly registrations: Registrations;
  readonly clock: Clock;
}

/**
 * Disables every trigger of the account that uses one of these connections, and removes their registrations at vendors; waits some seconds
 * for an unavailable vendor.
 */
export async function removeConnectionUses(
  { triggers, registrations, clock }: RemoveConnectionUsesDeps,
  ctx: RequestContext,
  connectionIds: readonly number[],
): Promise<void> {
  if (connectionIds.length === 0) return;
  const [accountId, now] = [accountOf(ctx), clock.now()];
  await triggers.disableUses(ctx, accountId, connectionIds, CONNECTION_DELETED, now);
  await registrations.endOf(ctx, accountId, connectionIds);
}
