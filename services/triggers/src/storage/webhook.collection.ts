import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Sealed } from '@fairlead/sealing/sealed-value';
import { dueIndex } from '@fairlead/service-kit/sweep/claims';
import type { Due } from '@fairlead/service-kit/sweep/claims';
import type { VendorWebhook } from '../domain/vendor-webhook.ts';

/** One registration at a vendor that is wanted, or may exist. */
export interface WebhookDocument extends Omit<VendorWebhook, 'id' | 'configuration'> {
  /** The registration's id here. */
  readonly _id: string;
  /** JSON text: names of members may not be valid in BSON. */
  readonly configuration: string;
  /** The digest of its address's token, by which a call finds it. */
  readonly tokenHash: string;
  readonly token: Sealed;
  /** Signs the vendor's calls. */
  readonly secret: Sealed;
  /** Raised whenever it has to be looked at. */
  readonly version: number;
  /** Its partitions are accounts. */
  readonly due: Due;
}

/** Where a document says when it is looked at. */
export const WEBHOOK_DUE_PATH = 'due';

/** Changes of triggers read the first index, those of connections the second one, calls the third one. */
export const webhookCollection = defineCollection<WebhookDocument>({
  name: 'vendor_webhooks',
  indexes: [
    { key: { accountId: 1, triggerId: 1 }, name: 'of_a_trigger' },
    { key: { accountId: 1, connectionId: 1 }, name: 'of_a_connection' },
    { key: { tokenHash: 1 }, name: 'token', unique: true },
    dueIndex(WEBHOOK_DUE_PATH),
  ],
});
