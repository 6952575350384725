import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Connection } from '../domain/connection.ts';
import type { CredentialSecrets, Tokens } from '../domain/credential.ts';

/** A connection with its opened credential. */
export interface ConnectionWithCredential {
  readonly connection: Connection;
  readonly credential: CredentialSecrets;
}

/** A connection whose credential is still sealed. */
export interface SealedConnection {
  readonly connection: Connection;
  /** Opens the credential that was read, for a call. */
  open(): Promise<ConnectionWithCredential>;
}

/** Names a connection by id, or by application: its default connection, or the only one that it belongs to. */
export type ConnectionReference =
  | { readonly kind: 'id'; readonly id: number }
  | { readonly kind: 'application'; readonly applicationSlug: string };

/**
 * The purpose of opening a credential: a call, the test of a connection, new tokens, revoking the grant, a sign-in; or any of these with an
 * auth provider's values.
 */
export type OpeningPurpose = 'call' | 'test' | 'refresh' | 'revocation' | 'signIn' | 'authProvider';

/**
 * The result of claiming a refresh. `changed`: the credential has another version now (or needs no refresh, or is gone), so read it again.
 * `held`: another replica is refreshing it.
 */
export type RefreshClaim = ClaimedCredential | { readonly kind: 'changed' | 'held' };

/** A credential whose lease was taken. */
export interface ClaimedCredential {
  readonly kind: 'claimed';
  readonly opened: ConnectionWithCredential;
  /** Time of the first failure in the current series of failed attempts; null: the last one succeeded. */
  readonly failingSince: Date | null;
}

/** Identifies a lease. `owner` is unique and never reused. */
export interface LeaseKey {
  readonly accountId: string;
  readonly connectionId: number;
  readonly owner: string;
}

/**
 * Stores credentials, and the lease under which one replica at a time refreshes a credential. Every write is conditional on the lease:
 * after losing it, or after the credential was replaced, nothing is written. New tokens of a connection that was deleted meanwhile are
 * revoked with it.
 */
export interface CredentialStore {
  /** The connection, with everything to open its credential. Concurrent callers may share a read. */
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
  ): Promise<ConnectionWithCredential | undefined>;
  /** Takes the lease until `until` and opens the credential, if the lease is free and the credential still has that version. */
  claim(
    ctx: RequestContext,
    key: LeaseKey,
    o: { readonly version: number; readonly now: Date; readonly until: Date },
  ): Promise<RefreshClaim>;
  /**
   * Stores new tokens as a new version and releases the lease. A grant with a refresh token is due again a day after `now`, in the
   * partition of `vendor` (undefined: unchanged). Without `grantedScopes` the scopes stay, as does the client's `addressRevision`.
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
   * Records that the vendor refused the grant permanently, if the tokens are still those that the lease was taken for, and releases the
   * lease. `reason` is for people and contains no secret; it becomes part of the change record.
   */
  saveRefusal(
    ctx: RequestContext,
    key: LeaseKey,
    refusal: { readonly reason: string; readonly now: Date },
  ): Promise<void>;
  /** Records a failed attempt and releases the lease. A grant that is kept alive is due again at `retryAt`. */
  saveFailure(
    ctx: RequestContext,
    key: LeaseKey,
    failure: { readonly failingSince: Date; readonly retryAt: Date },
  ): Promise<void>;
}
