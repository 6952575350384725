import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Connection } from '../domain/connection.ts';
import type { OpenedCredential, Tokens } from '../domain/credential.ts';

/** A connection with its credential opened. */
export interface OpenedConnection {
  readonly connection: Connection;
  readonly credential: OpenedCredential;
}

/**
 * How a claim to refresh ended. `changed`: the credential is no longer the one named (or needs no refresh, or is gone):
 * read it again. `held`: another replica is at it.
 */
export type RefreshClaim =
  { readonly kind: 'claimed'; readonly opened: OpenedConnection } | { readonly kind: 'changed' | 'held' };

/** A claim in force. Each has an `owner` of its own, never used again. */
export interface LeaseKey {
  readonly accountId: string;
  readonly connectionId: number;
  readonly owner: string;
}

/**
 * Credentials, and the lease that lets one replica at a time refresh one. Every write is conditional on the lease: a
 * holder that lost it, or whose credential was replaced meanwhile, writes nothing.
 */
export interface CredentialStore {
  read(ctx: RequestContext, accountId: string, connectionId: number): Promise<OpenedConnection | undefined>;
  /** Takes the lease until `until` if it is free and the credential still has that version. */
  claim(
    ctx: RequestContext,
    key: LeaseKey,
    o: { readonly version: number; readonly now: Date; readonly until: Date },
  ): Promise<RefreshClaim>;
  /** Stores new tokens under a new version and gives the lease back. */
  saveTokens(ctx: RequestContext, key: LeaseKey, tokens: Tokens): Promise<void>;
  /**
   * Records that the vendor refused the grant for good, and gives the lease back. `reason` is for people and holds no
   * secret; it goes into the change record.
   */
  saveRefusal(
    ctx: RequestContext,
    key: LeaseKey,
    refusal: { readonly reason: string; readonly now: Date },
  ): Promise<void>;
  /** Gives the lease back; everything else stays. */
  release(ctx: RequestContext, key: LeaseKey): Promise<void>;
}
