import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { hookUrl, isWanted, nextLookAt, retryAt, settledAt } from '../domain/vendor-webhook.ts';
import type { CallResult, VendorWebhooks } from '../ports/trigger-calls.ts';
import type { FiringStore, FiringTrigger } from '../ports/trigger-store.ts';
import type { ClaimedWebhook, WebhookSettlement, WebhookStore } from '../ports/webhook-store.ts';
import { createWebhookSecrets } from './create-webhook-secrets.ts';

export interface ReconcileWebhookDeps {
  readonly vendorWebhooks: VendorWebhooks;
  readonly webhooks: Pick<WebhookStore, 'secretsOf' | 'noteAttempt' | 'settle'>;
  readonly firings: Pick<FiringStore, 'findMany' | 'noteError'>;
  readonly clock: Clock;
  readonly publicUrl: string;
}

/** Longest time until an unanswered request takes effect at a vendor. */
const UNHEARD_MS = 40_000;

/**
 * Makes the vendor's list match the trigger: exactly one registration if it needs one, otherwise none. Failures are retried later, and
 * recorded as the trigger's `lastError` while the registration is needed.
 */
export async function reconcileWebhook(
  deps: ReconcileWebhookDeps,
  ctx: RequestContext,
  claimed: ClaimedWebhook,
): Promise<void> {
  const settlement = await reconcile(deps, ctx, claimed);
  if (settlement !== undefined) await deps.webhooks.settle(claimed, settlement);
}

/** Undefined: another process has claimed it. */
async function reconcile(
  deps: ReconcileWebhookDeps,
  ctx: RequestContext,
  claimed: ClaimedWebhook,
): Promise<WebhookSettlement | undefined> {
  const { vendorWebhooks, webhooks, firings, clock, publicUrl } = deps;
  const { webhook } = claimed;
  const trigger = (await firings.findMany([webhook])).get(webhook.triggerId);
  const target = isWanted(webhook, trigger) ? trigger : undefined;
  const secrets = await webhooks.secretsOf(webhook);
  if (secrets === undefined) return { kind: 'gone' };
  const url = hookUrl(publicUrl, secrets.token.reveal());
  const found = await outcomeOf(vendorWebhooks.find(ctx, webhook, url));
  // Without its connection, nobody can call the vendor any more.
  if (found === 'gone' && target === undefined) return { kind: 'gone' };
  if (found === 'gone' || found === 'later') return settleFailure(deps, claimed, target);
  if (!found.isSuccess) return settleFailure(deps, claimed, target, found.errorMessage);
  if (target !== undefined && webhook.failures > 0) await firings.noteError(target, null);

  const { registrationId } = webhook;
  const [first] = found.value;
  const kept =
    target === undefined
      ? undefined
      : registrationId !== null && found.value.includes(registrationId)
        ? registrationId
        : first;
  for (const id of found.value) {
    if (id === kept) continue;
    const removed = await outcomeOf(vendorWebhooks.remove(ctx, webhook, id));
    if (removed === 'gone' || removed === 'later') return settleFailure(deps, claimed, target);
    if (!removed.isSuccess) return settleFailure(deps, claimed, target, removed.errorMessage);
  }
  const now = clock.now();
  const none = { kind: 'kept', registrationId: null, failures: 0 } as const;
  if (target === undefined) {
    const settled = settledAt(webhook);
    const isOver = now >= settled || webhook.givenUpAt !== null;
    return isOver ? { kind: 'gone' } : { ...none, at: settled };
  }
  if (kept !== undefined)
    return {
      kind: 'kept',
      registrationId: kept,
      failures: 0,
      at: now < settledAt(webhook) ? settledAt(webhook) : nextLookAt(now),
    };
  // A former vendor may know the old address and secret, so both are replaced before registering.
  const isElsewhere = registrationId !== null;
  const heardOf = new Date(webhook.attemptedAt.getTime() + UNHEARD_MS);
  const again = isElsewhere ? settledAt(webhook) : heardOf;
  if (now < again) return { ...none, registrationId, at: again };
  const fresh = isElsewhere ? createWebhookSecrets() : undefined;
  if (!(await webhooks.noteAttempt(claimed, now, fresh))) return undefined;
  const { token, secret } = fresh ?? secrets;
  const address = { url: hookUrl(publicUrl, token.reveal()), secret: secret.reveal() };
  const registered = await outcomeOf(vendorWebhooks.register(ctx, webhook, address));
  if (registered === 'gone' || registered === 'later') return settleFailure(deps, claimed, target);
  if (!registered.isSuccess) return settleFailure(deps, claimed, target, registered.errorMessage);
  return { kind: 'kept', registrationId: registered.value, failures: 0, at: settledAt({ attemptedAt: now }) };
}

/** Retried later; the vendor's reason, if any, is displayed while the registration is needed. */
async function settleFailure(
  { firings, clock }: Pick<ReconcileWebhookDeps, 'firings' | 'clock'>,
  { webhook }: ClaimedWebhook,
  target: FiringTrigger | undefined,
  reason?: string,
): Promise<WebhookSettlement> {
  if (target !== undefined && reason !== undefined) await firings.noteError(target, reason);
  const failures = webhook.failures + 1;
  const now = clock.now();
  const at = retryAt(now, failures) ?? (target === undefined ? undefined : nextLookAt(now));
  if (at === undefined) return { kind: 'gone' };
  return { kind: 'kept', at, registrationId: webhook.registrationId, failures };
}

/** `gone`: connection or trigger type no longer exists. `later`: the vendor could not be asked. */
async function outcomeOf<T>(call: Promise<CallResult<T>>): Promise<CallResult<T> | 'gone' | 'later'> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'NOT_FOUND' || error.code === 'WRONG_APPLICATION') return 'gone';
    return error.code === 'CONNECTION_BLOCKED' ? { isSuccess: false, errorMessage: error.message } : 'later';
  }
}
