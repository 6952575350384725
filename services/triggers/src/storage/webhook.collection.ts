import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { SealedValue } from '@fairlead/sealing/sealed-value';
import { dueIndex } from '@fairlead/service-kit/sweep/claims';
import type { DueState } from '@fairlead/service-kit/sweep/claims';
import type { VendorWebhook } from '../domain/vendor-webhook.ts';

/** A registration at a vendor that is needed, or may exist. */
export interface WebhookDocument extends Omit<VendorWebhook, 'id' | 'configuration'> {
  /** Our id of the registration. */
  readonly _id: string;
  /** JSON text, because member names may be invalid in BSON. */
  readonly configuration: string;
  /** Digest of its address's token, by which a call finds it. */
  readonly tokenHash: string;
  readonly token: SealedValue;
  /** Secret of the vendor's signatures. */
  readonly secret: SealedValue;
  /** Incremented whenever a check is requested. */
  readonly version: number;
  /** Partitioned by account. */
  readonly due: DueState;
}

/** Path of the member that says when it is checked. */
export const WEBHOOK_DUE_PATH = 'due';

/** In order: index for changes of triggers, for changes of connections, for calls. */
export const webhookCollection = defineCollection<WebhookDocument>({
  name: 'vendor_webhooks',
  indexes: [
    { key: { accountId: 1, triggerId: 1 }, name: 'of_a_trigger' },
    { key: { accountId: 1, connectionId: 1 }, name: 'of_a_connection' },
    { key: { tokenHash: 1 }, name: 'token', unique: true },
    dueIndex(WEBHOOK_DUE_PATH),
  ],
});
