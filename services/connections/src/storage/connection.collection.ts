import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Sealed } from '@fairlead/service-kit/sealing/sealed-value';
import type { Connection } from '../domain/connection.ts';

/** Members of a connection that are stored in a different form. */
type EncodedMember = 'id' | 'fields' | 'fieldOptions' | 'metadata' | 'credentialVersion';

/** One connection with its sealed credential. Members that are not declared here are stored as they are. */
export interface ConnectionDocument extends Omit<Connection, EncodedMember> {
  /** The connection id. */
  readonly _id: number;
  /** JSON text, like the next two: names chosen by people and vendors may not be valid in BSON (NUL, `$`, dots). */
  readonly fields: string;
  readonly fieldOptions: string;
  readonly metadata: string;
  readonly credential: CredentialDocument;
}

/** The sealed secrets of a connection, and the lease of the replica that refreshes them. */
export interface CredentialDocument {
  /** Grows with every write of the credential; each of those writes is conditional on it. */
  version: number;
  /** JSON of the secret fields; null if there are none. */
  secrets: Sealed | null;
  tokens: SealedTokens | null;
  /** The replica that may request new tokens from the vendor, and until when. */
  lease: { owner: string; expiresAt: Date } | null;
}

/** Sealed tokens; the times are not secret and stay in plain text. */
export interface SealedTokens {
  sealed: Sealed;
  obtainedAt: Date;
  expiresAt: Date | null;
}

/** Name of the index that prevents two defaults for one application. */
export const DEFAULT_INDEX = 'one_default_an_application';

/** Lists read the first index; the second one keeps the default of an application unique. */
export const connectionCollection = defineCollection<ConnectionDocument>({
  name: 'connections',
  indexes: [
    { key: { accountId: 1, createdAt: -1, _id: -1, kind: 1 }, name: 'list' },
    {
      key: { accountId: 1, applicationSlug: 1 },
      name: DEFAULT_INDEX,
      unique: true,
      partialFilterExpression: { isDefault: true },
    },
    { key: { accountId: 1, applicationSlug: 1, connectionName: 1 }, name: 'of_an_application' },
    // Those that were signed in through one of the account's auth providers.
    {
      key: { accountId: 1, authProviderId: 1 },
      name: 'of_an_auth_provider',
      partialFilterExpression: { authProviderId: { $gte: 1 } },
    },
  ],
});
