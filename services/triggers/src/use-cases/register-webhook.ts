import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { prefixedId } from '@fairlead/service-kit/ids';
import type { Trigger } from '../domain/trigger.ts';
import { hookUrl, settledAt } from '../domain/vendor-webhook.ts';
import type { VendorWebhooks } from '../ports/trigger-calls.ts';
import type { WebhookStore } from '../ports/webhook-store.ts';
import { createWebhookSecrets } from './create-webhook-secrets.ts';

export interface RegisterWebhookDeps {
  readonly vendorWebhooks: Pick<VendorWebhooks, 'register'>;
  readonly webhooks: Pick<WebhookStore, 'insert' | 'settle'>;
  readonly clock: Clock;
  /** Address of the gateway as vendors see it. */
  readonly publicUrl: string;
}

/**
 * Registers a new address at the vendor of a trigger that is about to be stored; returns our id of the registration. It is stored first:
 * unless the trigger is then stored with this id, the registration is removed at the vendor, even if this process dies. VALIDATION_ERROR on
 * `connectionId`, with the vendor's words, if it refuses; CONNECTION_BLOCKED, with nothing stored, if the connection has no licence.
 */
export async function registerWebhook(
  { vendorWebhooks, webhooks, clock, publicUrl }: RegisterWebhookDeps,
  ctx: RequestContext,
  of: Pick<Trigger, 'id' | 'triggerTypeSlug' | 'connectionId' | 'configuration'>,
): Promise<string> {
  const { id: triggerId, triggerTypeSlug, connectionId, configuration } = of;
  const attemptedAt = clock.now();
  const secrets = createWebhookSecrets();
  const id = prefixedId('whk');
  const claimed = await webhooks.insert(
    ctx,
    { id, accountId: accountOf(ctx), triggerId, triggerTypeSlug, connectionId, configuration, attemptedAt },
    secrets,
  );
  const address = { url: hookUrl(publicUrl, secrets.token.reveal()), secret: secrets.secret.reveal() };
  const registered = await vendorWebhooks.register(ctx, of, address).catch(async (error: unknown) => {
    // The vendor was not called, so forget it. After any other failure the claim expires, and a keeper looks for the registration.
    if (error instanceof ApiError && error.code === 'CONNECTION_BLOCKED')
      await webhooks.settle(claimed, { kind: 'gone' });
    throw error;
  });
  await webhooks.settle(claimed, {
    kind: 'kept',
    at: settledAt({ attemptedAt }),
    registrationId: registered.isSuccess ? registered.value : null,
    failures: 0,
  });
  if (!registered.isSuccess) throw validationError({ field: 'connectionId', issue: registered.errorMessage });
  return id;
}
