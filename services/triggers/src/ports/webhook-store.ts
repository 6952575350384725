import type { Secret } from '@fairlead/service-kit/secret';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { VendorWebhook } from '../domain/vendor-webhook.ts';

/** The secrets that the vendor gets. */
export interface WebhookSecrets {
  /** The token of the address that it calls. */
  readonly token: Secret;
  /** Signs its calls. */
  readonly secret: Secret;
}

/** A registration that this process alone works on for a minute. */
export interface ClaimedWebhook {
  readonly webhook: VendorWebhook;
  readonly token: string;
  /** The version of its schedule when it was claimed; `schedule` raises it. */
  readonly version: number;
}

/** A registration whose address is called. */
export interface RegisteredWebhook extends VendorWebhook {
  /** The secret that signs the vendor's calls; opened once, however often it is asked for. */
  signingSecret(): Promise<Secret>;
}

/** The new state of a claimed registration. */
export type WebhookSettlement =
  /** Nothing is left of it at the vendor, and nothing will come. */
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'kept';
      /** When it is looked at again. */
      readonly at: Date;
      readonly registrationId: string | null;
      readonly failures: number;
    };

/** The trigger or the connections whose registrations are looked at. */
export type WebhooksOf = { readonly triggerId: string } | { readonly connectionIds: readonly number[] };

/** The intended registrations at vendors. */
export interface WebhookStore {
  /** Stores an intent before the vendor is called; it is claimed by the caller. */
  insert(
    ctx: RequestContext,
    webhook: Omit<VendorWebhook, 'registrationId' | 'failures' | 'givenUpAt'>,
    secrets: WebhookSecrets,
  ): Promise<ClaimedWebhook>;
  secretsOf(webhook: Pick<VendorWebhook, 'id' | 'accountId'>): Promise<WebhookSecrets | undefined>;
  /** The registrations whose addresses have tokens with these digests, by digest. */
  findByTokens(tokenHashes: readonly string[]): Promise<ReadonlyMap<string, RegisteredWebhook>>;
  /** Has registrations looked at by `at`; one that is being looked at is looked at again afterwards. */
  schedule(ctx: RequestContext, accountId: string, of: WebhooksOf, at: Date): Promise<void>;
  /** Notes that the vendor is about to be asked for a registration, with `fresh` secrets in the place of the former. False: the claim was lost. */
  noteAttempt(claimed: ClaimedWebhook, now: Date, fresh?: WebhookSecrets): Promise<boolean>;
  /** Ends the claim. If something was asked of it since, it is looked at again at once. Nothing is written without the claim. */
  settle(claimed: ClaimedWebhook, settlement: WebhookSettlement): Promise<void>;
}
