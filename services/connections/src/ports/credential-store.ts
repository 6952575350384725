import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Connection } from '../domain/connection.ts';
import type { OpenedCredential, Tokens } from '../domain/credential.ts';

/** A connection with its credential opened. */
export interface OpenedConnection {
  readonly connection: Connection;
  readonly credential: OpenedCredential;
}

/** A connection as it was read, with a credential that is still sealed. */
export interface SealedConnection {
  readonly connection: Connection;
  /** Opens the credential as it was read, for a call. */
  open(): Promise<OpenedConnection>;
}

/** Names a connection by its id, or by its application: the default one, or the one that the application belongs to. */
export type ConnectionReference =
  | { readonly kind: 'id'; readonly id: number }
  | { readonly kind: 'application'; readonly applicationSlug: string };

/**
 * The purpose for which a credential is opened: a call to the application, the test of its connection, new tokens, the
 * revocation of its grant, a sign-in; or any of these by the values of an auth provider.
 */
export type OpeningPurpose = 'call' | 'test' | 'refresh' | 'revocation' | 'signIn' | 'authProvider';

/**
 * The result of a claim to refresh. `changed`: the credential no longer has that version (or needs no refresh, or is
 * gone): read it again. `held`: another replica is refreshing it.
 */
export type RefreshClaim = ClaimedCredential | { readonly kind: 'changed' | 'held' };

/** A credential whose lease was taken. */
export interface ClaimedCredential {
  readonly kind: 'claimed';
  readonly opened: OpenedConnection;
  /** When the first of the attempts failed that have failed in a row; null: the last one succeeded. */
  readonly failingSince: Date | null;
}

/** A claim in force. Each has a unique `owner` that is never reused. */
export interface LeaseKey {
  readonly accountId: string;
  readonly connectionId: number;
  readonly owner: string;
}

/**
 * Credentials, and the lease that lets one replica at a time refresh a credential. Every write is conditional on the
 * lease: a holder that lost it, or whose credential was replaced meanwhile, writes nothing. New tokens of a connection that was
 * deleted meanwhile are revoked with it.
 */
export interface CredentialStore {
  /** The connection, with what opens its credential without another read. Callers at the same time may share a read. */
  find(
    ctx: RequestContext,
    accountId: string,
    reference: ConnectionReference,
  ): Promise<SealedConnection | undefined>;
  read(
    ctx: RequestContext,
    accountId: string,
    connectionId: number,
    purpose: OpeningPurpose,
  ): Promise<OpenedConnection | undefined>;
  /** Takes the lease and opens the credential to refresh it, until `until`, if it is free and the credential still has that version. */
  claim(
    ctx: RequestContext,
    key: LeaseKey,
    o: { readonly version: number; readonly now: Date; readonly until: Date },
  ): Promise<RefreshClaim>;
  /**
   * Stores new tokens under a new version and releases the lease. A grant with a refresh token is due again a day after
   * `now`, in the partition of `vendor`; undefined: in its former one. Without `grantedScopes` the former ones stay, as does
   * `addressRevision` of the client that they were granted to.
   */
  saveTokens(
    ctx: RequestContext,
    key: LeaseKey,
    tokens: Tokens,
    o: {
      readonly vendor: string | undefined;
      readonly grantedScopes?: readonly string[];
      readonly addressRevision?: string | null;
      readonly now: Date;
    },
  ): Promise<void>;
  /**
   * Reads the record again, and if its tokens are still those that the lease was taken for, records that the vendor refused
   * the grant permanently, and releases the lease. `reason` is for people and holds no secret; it goes into the change
   * record, too.
   */
  saveRefusal(
    ctx: RequestContext,
    key: LeaseKey,
    refusal: { readonly reason: string; readonly now: Date },
  ): Promise<void>;
  /** Records that an attempt failed, and releases the lease. A grant that is kept alive is due again at `retryAt`. */
  saveFailure(
    ctx: RequestContext,
    key: LeaseKey,
    failure: { readonly failingSince: Date; readonly retryAt: Date },
  ): Promise<void>;
}
