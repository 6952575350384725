import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Claims } from '@fairlead/service-kit/sweep/claims';
import type { Connection } from '../domain/connection.ts';
import type { ConnectionWithCredential } from './credential-store.ts';

/** The members read of a grant to be revoked. */
export interface DueRevocation {
  /** Id of the deleted connection, which is never reused; negative for a sign-in without a connection. */
  readonly _id: number;
  readonly accountId: string;
  /** Number of failed attempts. */
  readonly attempts: number;
  readonly requestedAt: Date;
}

/** Grants to revoke; partitioned like their renewals. */
export type DueRevocations = Claims<DueRevocation>;

/**
 * Stores grants to revoke: of deleted connections, and of sign-ins from which no connection was created. A deletion of a connection adds
 * its grant. An authorised sign-in adds its grant in advance, due when the sign-in has expired.
 */
export interface RevocationStore {
  /** The deleted connection, or the one that the sign-in would have created, with its opened credential. */
  open(
    ctx: RequestContext,
    accountId: string,
    connectionId: number,
  ): Promise<ConnectionWithCredential | undefined>;
  /**
   * Whether its owner (the account itself, or an end user) has another working connection by the same method and client: a vendor that
   * revokes the whole consent would end that one, too.
   */
  hasSibling(ctx: RequestContext, connection: Connection): Promise<boolean>;
  remove(ctx: RequestContext, accountId: string, connectionId: number): Promise<void>;
}
