import type { FiringStore } from '../ports/trigger-store.ts';
import type { WebhookStore } from '../ports/webhook-store.ts';

/** What resolveHook needs. */
export interface ResolveHookDeps {
  readonly firings: Pick<FiringStore, 'findByHooks'>;
  readonly webhooks: Pick<WebhookStore, 'findByTokens'>;
}

/** The trigger whose address, or whose vendor's, has the token with this digest, enabled or not; undefined: there is none. */
export async function resolveHook(
  { firings, webhooks }: ResolveHookDeps,
  tokenHash: string,
): Promise<{ readonly triggerId: string; readonly accountId: string } | undefined> {
  const trigger = (await firings.findByHooks([tokenHash])).get(tokenHash);
  if (trigger !== undefined) return { triggerId: trigger.id, accountId: trigger.accountId };
  const webhook = (await webhooks.findByTokens([tokenHash])).get(tokenHash);
  return webhook && { triggerId: webhook.triggerId, accountId: webhook.accountId };
}
