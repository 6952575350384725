import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { OAuthClient } from '../domain/oauth-client.ts';

/** A confidential client that an administrator created. */
export interface AccountClientDocument extends Omit<OAuthClient, 'id'> {
  /** The client id. */
  readonly _id: string;
  readonly kind: 'account';
  /** SHA-256 of the client secret, in hex. */
  readonly secretHash: string;
}

/** A public client that registered itself. */
export interface RegisteredClientDocument {
  /** The client id. */
  readonly _id: string;
  readonly kind: 'registered';
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** The client's registered metadata, as JSON. */
  readonly metadata: string;
  /** Whether it was ever granted anything. */
  readonly isUsed: boolean;
  /** First digits of the hash of the network that registered it; absent for clients of earlier releases. */
  readonly network?: string;
  /** A day after registration, or the end of its last grant. */
  readonly expiresAt: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type OAuthClientDocument = AccountClientDocument | RegisteredClientDocument;

/** OAuth clients, by their client id. */
export const oauthClientCollection = defineCollection<OAuthClientDocument>({
  name: 'oauth_clients',
  indexes: [
    // Clients of an account lack this field and do not expire.
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    { key: { accountId: 1, createdAt: -1, _id: -1 } },
    { key: { userId: 1 }, partialFilterExpression: { userId: { $exists: true } } },
    // A covering index for the clients of a network that were never granted anything.
    {
      key: { isUsed: 1, expiresAt: 1, network: 1, _id: 1 },
      name: 'unused_clients',
      partialFilterExpression: { isUsed: false },
    },
  ],
  removedIndexes: ['isUsed_1'],
});
