import { defineCollection } from '@fairlead/service-kit/mongo/mongo';
import type { Sealed } from '@fairlead/service-kit/sealing/sealing';
import type { Connection } from '../domain/connection.ts';

/** Members of a connection that are stored in a form of their own. */
type EncodedMember = 'id' | 'fields' | 'fieldOptions' | 'metadata' | 'credentialVersion';

/** One connection with its sealed credential. Members that are not declared here are stored as they are. */
export interface ConnectionDocument extends Omit<Connection, EncodedMember> {
  /** The connection id. */
  readonly _id: number;
  /** JSON text, as the next two: names that people and vendors choose are no names for BSON (NUL, `$`, dots). */
  readonly fields: string;
  readonly fieldOptions: string;
  readonly metadata: string;
  readonly credential: CredentialDocument;
}

/** What is secret of a connection, sealed, and who is refreshing it. */
export interface CredentialDocument {
  /** Grows with every write of the credential; each of those writes is conditional on it. */
  version: number;
  /** JSON of the secret fields; null where there are none. */
  secrets: Sealed | null;
  tokens: SealedTokens | null;
  /** The replica that may ask the vendor for new tokens until then. */
  lease: { owner: string; expiresAt: Date } | null;
}

/** Tokens with the times that are no secret in plain. */
export interface SealedTokens {
  sealed: Sealed;
  obtainedAt: Date;
  expiresAt: Date | null;
}

/** Name of the index that keeps two defaults of one application apart. */
export const DEFAULT_INDEX = 'one_default_an_application';

/** Lists read the first index; the default of an application is unique because the second one is. */
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
  ],
});
