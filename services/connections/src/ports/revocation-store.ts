import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Claims } from '@fairlead/service-kit/sweep/claims';
import type { Connection } from '../domain/connection.ts';
import type { OpenedConnection } from './credential-store.ts';

/** The members that are read of a grant that is to be revoked. */
export interface DueRevocation {
  /** The id of the deleted connection, which no other one ever gets; a number below 0 for a sign-in that became none. */
  readonly _id: number;
  readonly accountId: string;
  /** How many attempts have failed. */
  readonly attempts: number;
  readonly requestedAt: Date;
}

/** The grants to revoke; their partitions are those in which they were renewed. */
export type DueRevocations = Claims<DueRevocation>;

/**
 * The grants of deleted connections and of sign-ins that nobody made a connection of, until they are revoked. The deletion of a
 * connection adds them, and a sign-in that the vendor authorises, for the time when it has expired.
 */
export interface RevocationStore {
  /** The connection as it was deleted, or as the sign-in would have made it, with its credential opened. */
  open(ctx: RequestContext, accountId: string, connectionId: number): Promise<OpenedConnection | undefined>;
  /**
   * Whether its owner (the account itself, or one of its end users) has another connection of the same method and client that
   * works: a vendor that revokes a person's whole consent would end that, too.
   */
  hasSibling(ctx: RequestContext, connection: Connection): Promise<boolean>;
  remove(ctx: RequestContext, accountId: string, connectionId: number): Promise<void>;
}
