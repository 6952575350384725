import type { ConnectionStatus } from '../domain/connection.ts';

/** The members that lists filter by, stored with a connection, because an index cannot hold a status that depends on the time. */
export interface Listing {
  /** The status as of the last write. */
  readonly listedStatus: ConnectionStatus;
  /** When that status becomes Blocked without a write, because the licence expires; null: never. */
  readonly blocksAt: Date | null;
}

/** Matches every `blocksAt` that is not null, in the form that a partial index accepts. */
export const HAS_DATE = { $gt: new Date(0) };
