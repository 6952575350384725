import type { Secret } from '@fairlead/service-kit/secret';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { VendorWebhook } from '../domain/vendor-webhook.ts';

/** The secrets given to the vendor. */
export interface WebhookSecrets {
  /** Token of the address that the vendor calls. */
  readonly token: Secret;
  /** Secret with which the vendor signs its calls. */
  readonly secret: Secret;
}

/** A registration that this process has claimed for a minute. */
export interface ClaimedWebhook {
  readonly webhook: VendorWebhook;
  readonly token: string;
  /** Version of its schedule at the time of the claim; `schedule` increments it. */
  readonly version: number;
}

/** A registration whose address was called. */
export interface RegisteredWebhook extends VendorWebhook {
  /** The secret of the vendor's signatures; unsealed at first use, then cached. */
  signingSecret(): Promise<Secret>;
}

/** The new state of a claimed registration. */
export type WebhookSettlement =
  /** Neither the vendor nor we have anything left of it, and nothing will appear. */
  | { readonly kind: 'gone' }
  | {
      readonly kind: 'kept';
      /** When it is checked again. */
      readonly at: Date;
      readonly registrationId: string | null;
      readonly failures: number;
    };

/** The trigger, or the connections, whose registrations are to be checked. */
export type WebhooksOf = { readonly triggerId: string } | { readonly connectionIds: readonly number[] };

/** Stores registrations at vendors, before and while they exist. */
export interface WebhookStore {
  /** Stores a registration before the vendor is called; the caller has its claim. */
  insert(
    ctx: RequestContext,
    webhook: Omit<VendorWebhook, 'registrationId' | 'failures' | 'givenUpAt'>,
    secrets: WebhookSecrets,
  ): Promise<ClaimedWebhook>;
  secretsOf(webhook: Pick<VendorWebhook, 'id' | 'accountId'>): Promise<WebhookSecrets | undefined>;
  /** The registrations whose tokens have these digests, by digest. */
  findByTokens(tokenHashes: readonly string[]): Promise<ReadonlyMap<string, RegisteredWebhook>>;
  /** Schedules a check of registrations at `at` or earlier; one that is being checked is checked again afterwards. */
  schedule(ctx: RequestContext, accountId: string, of: WebhooksOf, at: Date): Promise<void>;
  /**
   * Records that the vendor is about to be asked to register, with `fresh` secrets replacing the former ones. False: the claim was lost.
   */
  noteAttempt(claimed: ClaimedWebhook, now: Date, fresh?: WebhookSecrets): Promise<boolean>;
  /**
   * Ends the claim with the new state. If another check was requested meanwhile, it is due at once. Without the claim nothing is written.
   */
  settle(claimed: ClaimedWebhook, settlement: WebhookSettlement): Promise<void>;
}
