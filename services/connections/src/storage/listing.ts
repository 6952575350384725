import type { ConnectionStatus } from '../domain/connection.ts';

/**
 * The members that lists filter by. They are stored with a connection, because an index cannot contain a status that depends on the time.
 */
export interface Listing {
  /** The status at the last write. */
  readonly listedStatus: ConnectionStatus;
  /** When that status becomes Blocked without a write, by expiry of the licence; null: never. */
  readonly blocksAt: Date | null;
}

/** Matches every non-null `blocksAt`, in a form that a partial index accepts. */
export const HAS_DATE = { $gt: new Date(0) };
