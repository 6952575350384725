import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { SealedValue } from '@fairlead/sealing/sealed-value';
import { dueIndex } from '@fairlead/service-kit/sweep/claims';
import type { DueState } from '@fairlead/service-kit/sweep/claims';
import type { Connection } from '../domain/connection.ts';
import { HAS_DATE } from './listing.ts';
import type { Listing } from './listing.ts';

/** Members of a connection that are stored in another form. */
type EncodedMember =
  | 'id'
  | 'fields'
  | 'fieldOptions'
  | 'metadata'
  | 'credentialVersion'
  | 'credentialRevision'
  | 'addressRevision'
  | 'endUserId';

/** A connection document with its sealed credential. Undeclared members are those of Connection. */
export interface ConnectionDocument extends Omit<Connection, EncodedMember> {
  /** The connection id. */
  readonly _id: number;
  /** JSON text, like the next two: names chosen by people and vendors may be invalid in BSON (NUL, `$`, dots). */
  readonly fields: string;
  readonly fieldOptions: string;
  readonly metadata: string;
  /** Absent, which reads match as null: the account's own, in documents of earlier releases. */
  readonly endUserId?: string | null;
  /**
   * The default among those of its end user. `isDefault` is false there, so that no search for the account's own default, by earlier
   * releases either, finds another's.
   */
  readonly isEndUserDefault?: boolean;
  readonly credential: CredentialDocument;
  /** Together with `blocksAt`, the members that lists filter by (connection-listing.ts). An earlier release writes neither. */
  readonly listedStatus?: Listing['listedStatus'];
  readonly blocksAt?: Listing['blocksAt'];
}

/** The sealed secrets of a connection, and the lease of the replica that refreshes them. */
export interface CredentialDocument {
  /** Increases with every write of the credential; each of these writes is conditional on it. */
  version: number;
  /** Increases with every replacement by a person; absent in documents of earlier releases until then. */
  revision?: number;
  /** See Connection; absent in documents of earlier releases, whose providers had none. */
  addressRevision?: string | null;
  /** JSON of the secret fields; null if there are none. */
  secrets: SealedValue | null;
  tokens: SealedTokens | null;
  /** The replica that may request new tokens from the vendor, and until when. */
  lease: { owner: string; expiresAt: Date } | null;
  /** When the grant is renewed if unused; null or undefined: never. Partitioned by vendor host. */
  renewal?: DueState | null;
  /** When renewals began to fail; null or undefined: the last one succeeded. */
  failingSince?: Date | null;
}

/** Sealed tokens, with their times in plain text. */
export interface SealedTokens {
  sealed: SealedValue;
  obtainedAt: Date;
  expiresAt: Date | null;
}

/** Path of the member that says when the grant is renewed. */
export const RENEWAL_PATH = 'credential.renewal';

/** The index that allows one default per application. */
export const DEFAULT_INDEX = 'one_default_an_application';

/** For exports, and the far end of most lists. */
export const LIST_INDEX = 'list';

/** Connections of all accounts with an expired licence that are not yet listed as Blocked. */
export const EXPIRED_INDEX = 'blocked_by_time_of_any_account';

/** For lists of all applications. */
export const OF_KIND_INDEX = 'of_a_kind_and_status';

/** For lists of one application. */
export const OF_APPLICATION_INDEX = 'of_an_application_kind_and_status';

/** For lists of one end user, who has few connections. */
export const LIST_OF_END_USER_INDEX = 'list_of_an_end_user';

/**
 * Each list index has the members that the list selects single values of, then the list's order. The last index finds grants that are due.
 */
export const connectionCollection = defineCollection<ConnectionDocument>({
  name: 'connections',
  indexes: [
    { key: { accountId: 1, createdAt: -1, _id: -1, kind: 1 }, name: LIST_INDEX },
    {
      key: { accountId: 1, applicationSlug: 1 },
      name: DEFAULT_INDEX,
      unique: true,
      partialFilterExpression: { isDefault: true },
    },
    { key: { accountId: 1, applicationSlug: 1, connectionName: 1 }, name: 'of_an_application' },
    {
      key: { accountId: 1, kind: 1, listedStatus: 1, createdAt: -1, _id: -1 },
      name: OF_KIND_INDEX,
    },
    {
      key: { accountId: 1, applicationSlug: 1, kind: 1, listedStatus: 1, createdAt: -1, _id: -1 },
      name: OF_APPLICATION_INDEX,
    },
    {
      key: { accountId: 1, blocksAt: 1 },
      name: 'blocked_by_time',
      partialFilterExpression: { blocksAt: HAS_DATE },
    },
    {
      key: { blocksAt: 1 },
      name: EXPIRED_INDEX,
      partialFilterExpression: { blocksAt: HAS_DATE },
    },
    // Also contains the account's own connections, for which an absent `endUserId` counts as null. Sorted as a call chooses a connection.
    {
      key: { accountId: 1, endUserId: 1, applicationSlug: 1, isEndUserDefault: -1, _id: 1 },
      name: 'of_an_end_user',
    },
    {
      key: { accountId: 1, endUserId: 1, createdAt: -1, _id: -1, kind: 1 },
      name: LIST_OF_END_USER_INDEX,
      partialFilterExpression: { endUserId: { $gt: '' } },
    },
    {
      key: { accountId: 1, endUserId: 1, applicationSlug: 1 },
      name: 'one_default_of_an_end_user',
      unique: true,
      partialFilterExpression: { isEndUserDefault: true },
    },
    {
      key: { accountId: 1, agentCreationId: 1 },
      name: 'of_an_agent',
      unique: true,
      partialFilterExpression: { agentCreationId: { $gt: '' } },
    },
    // Connections created with one of the account's auth providers.
    {
      key: { accountId: 1, authProviderId: 1 },
      name: 'of_an_auth_provider',
      partialFilterExpression: { authProviderId: { $gte: 1 } },
    },
    dueIndex(RENEWAL_PATH),
  ],
});
