import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { Sealed } from '@fairlead/sealing/sealed-value';
import { dueIndex } from '@fairlead/service-kit/sweep/claims';
import type { Due } from '@fairlead/service-kit/sweep/claims';
import type { Connection } from '../domain/connection.ts';
import { HAS_DATE } from './listing.ts';
import type { Listing } from './listing.ts';

/** Members of a connection that are stored in a different form. */
type EncodedMember =
  | 'id'
  | 'fields'
  | 'fieldOptions'
  | 'metadata'
  | 'credentialVersion'
  | 'credentialRevision'
  | 'addressRevision'
  | 'endUserId';

/** One connection with its sealed credential. Members that are not declared here are stored as they are. */
export interface ConnectionDocument extends Omit<Connection, EncodedMember> {
  /** The connection id. */
  readonly _id: number;
  /** JSON text, like the next two: names chosen by people and vendors may not be valid in BSON (NUL, `$`, dots). */
  readonly fields: string;
  readonly fieldOptions: string;
  readonly metadata: string;
  /** Absent, as on documents of earlier releases, which reads match as null: the account's own. */
  readonly endUserId?: string | null;
  /**
   * The default among those of its end user, whose `isDefault` is false: whoever looks for the account's own default, an
   * earlier release too, never finds another's.
   */
  readonly isEndUserDefault?: boolean;
  readonly credential: CredentialDocument;
  /** With `blocksAt`: what lists filter by (connection-listing.ts). An earlier release writes neither. */
  readonly listedStatus?: Listing['listedStatus'];
  readonly blocksAt?: Listing['blocksAt'];
}

/** The sealed secrets of a connection, and the lease of the replica that refreshes them. */
export interface CredentialDocument {
  /** Grows with every write of the credential; each of those writes is conditional on it. */
  version: number;
  /** Grows with every replacement by a person; absent in documents of earlier releases until they are replaced. */
  revision?: number;
  /** See Connection; absent in documents of earlier releases, whose providers had none. */
  addressRevision?: string | null;
  /** JSON of the secret fields; null if there are none. */
  secrets: Sealed | null;
  tokens: SealedTokens | null;
  /** The replica that may request new tokens from the vendor, and until when. */
  lease: { owner: string; expiresAt: Date } | null;
  /** When the grant is renewed though nobody uses it; null or undefined: never. Its partitions are hosts of vendors. */
  renewal?: Due | null;
  /** When renewals began to fail; null or undefined: the last one succeeded. */
  failingSince?: Date | null;
}

/** Sealed tokens; the times are not secret and stay in plain text. */
export interface SealedTokens {
  sealed: Sealed;
  obtainedAt: Date;
  expiresAt: Date | null;
}

/** Where a document says when its grant is renewed. */
export const RENEWAL_PATH = 'credential.renewal';

/** Name of the index that prevents two defaults for one application. */
export const DEFAULT_INDEX = 'one_default_an_application';

/** Exports, and the far end of lists of most connections. */
export const LIST_INDEX = 'list';

/** Connections of any account whose licence has expired, although they are not listed so yet. */
export const EXPIRED_INDEX = 'blocked_by_time_of_any_account';

/** Lists of all applications. */
export const OF_KIND_INDEX = 'of_a_kind_and_status';

/** Lists of one application. */
export const OF_APPLICATION_INDEX = 'of_an_application_kind_and_status';

/** Lists of one end user, who has few. */
export const LIST_OF_END_USER_INDEX = 'list_of_an_end_user';

/**
 * The indexes of a list end with its order, after members that it selects single values of. By the last index grants are
 * found that are due.
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
    // The account's own, too: `endUserId` is null for the index where it is absent. The order in which a call chooses one.
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
    // Those that were signed in through one of the account's auth providers.
    {
      key: { accountId: 1, authProviderId: 1 },
      name: 'of_an_auth_provider',
      partialFilterExpression: { authProviderId: { $gte: 1 } },
    },
    dueIndex(RENEWAL_PATH),
  ],
});
