import { isWanted } from '../domain/vendor-webhook.ts';
import type { FiringStore, FiringTrigger } from '../ports/trigger-store.ts';
import type { RegisteredWebhook, WebhookStore } from '../ports/webhook-store.ts';

export interface FindHooksDeps {
  readonly firings: Pick<FiringStore, 'findByHooks' | 'findMany'>;
  readonly webhooks: Pick<WebhookStore, 'findByTokens'>;
}

/** An address of a trigger, current or former. */
export interface Hook {
  readonly accountId: string;
  readonly triggerId: string;
  /** The trigger, if it currently accepts calls at the address. */
  readonly trigger: FiringTrigger | undefined;
  /** The registration, if a vendor calls the address. */
  readonly webhook: RegisteredWebhook | undefined;
  /** Whether a call waits for more than the database: for a filter, or for the definition that verifies a vendor's call. */
  readonly takesTime: boolean;
}

/** The addresses whose tokens have these digests, by digest. */
export async function findHooks(
  { firings, webhooks }: FindHooksDeps,
  tokenHashes: readonly string[],
): Promise<ReadonlyMap<string, Hook>> {
  const hooks = new Map<string, Hook>();
  for (const [hash, trigger] of await firings.findByHooks(tokenHashes)) {
    const { id: triggerId, accountId, isEnabled, filter } = trigger;
    hooks.set(hash, {
      accountId,
      triggerId,
      trigger: isEnabled ? trigger : undefined,
      webhook: undefined,
      takesTime: filter !== null,
    });
  }
  const others = tokenHashes.filter((hash) => !hooks.has(hash));
  if (others.length === 0) return hooks;
  const registered = await webhooks.findByTokens(others);
  const reporting = await firings.findMany([...registered.values()]);
  for (const [hash, webhook] of registered) {
    const { accountId, triggerId } = webhook;
    const found = reporting.get(triggerId);
    const trigger = isWanted(webhook, found) ? found : undefined;
    hooks.set(hash, { accountId, triggerId, trigger, webhook, takesTime: true });
  }
  return hooks;
}
