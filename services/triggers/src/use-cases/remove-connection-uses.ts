import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { CONNECTION_DELETED } from '../domain/trigger.ts';
import type { TriggerStore } from '../ports/trigger-store.ts';
import type { WebhookStore } from '../ports/webhook-store.ts';

/** What removeConnectionUses needs. */
export interface RemoveConnectionUsesDeps {
  readonly triggers: Pick<TriggerStore, 'disableUses'>;
  readonly webhooks: Pick<WebhookStore, 'schedule'>;
  readonly clock: Clock;
}

/** Disables every trigger of the account that uses one of these connections. */
export async function removeConnectionUses(
  { triggers, webhooks, clock }: RemoveConnectionUsesDeps,
  ctx: RequestContext,
  connectionIds: readonly number[],
): Promise<void> {
  if (connectionIds.length === 0) return;
  const [accountId, now] = [accountOf(ctx), clock.now()];
  await triggers.disableUses(ctx, accountId, connectionIds, CONNECTION_DELETED, now);
  await webhooks.schedule(ctx, accountId, { connectionIds }, now);
}
