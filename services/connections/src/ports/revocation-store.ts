import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Claims } from '@fairlead/service-kit/sweep/claims';
import type { OpenedConnection } from './credential-store.ts';

/** What is read of the grant of a deleted connection that is to be revoked. */
export interface DueRevocation {
  /** The id of the connection, which no other one ever gets. */
  readonly _id: number;
  readonly accountId: string;
  /** How many attempts have failed. */
  readonly attempts: number;
  readonly requestedAt: Date;
}

/** The grants to revoke; their lanes are those in which they were renewed. */
export type DueRevocations = Claims<DueRevocation>;

/** The grants of deleted connections, until they are revoked. The deletion of a connection adds them. */
export interface RevocationStore {
  /** The connection as it was deleted, with its credential opened. */
  open(ctx: RequestContext, accountId: string, connectionId: number): Promise<OpenedConnection | undefined>;
  remove(ctx: RequestContext, accountId: string, connectionId: number): Promise<void>;
}
