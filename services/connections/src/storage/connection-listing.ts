import type { Filter } from 'mongodb';
import type { Connection, ConnectionStatus } from '../domain/connection.ts';
import { statusOf } from '../domain/connection.ts';
import type { ConnectionDocument } from './connection.collection.ts';
import { HAS_DATE } from './listing.ts';
import type { Listing } from './listing.ts';

/** The listing of a connection at `now`. */
export function listingOf(
  connection: Pick<Connection, 'licence' | 'needsReauthentication'>,
  now: Date,
): Listing {
  const listedStatus = statusOf(connection, now);
  return { listedStatus, blocksAt: listedStatus === 'Blocked' ? null : connection.licence.expiresAt };
}

/** Selects an account's connections with an expired licence that are not yet listed as Blocked. */
export function listedTooLong(accountId: string, now: Date): Filter<ConnectionDocument> {
  return { accountId, blocksAt: { ...HAS_DATE, $lte: now } };
}

/** Selects connections by status at `now`, whatever their listing: `statusOf` as a query, without an index. */
export function havingStatus(status: ConnectionStatus, now: Date): Filter<ConnectionDocument> {
  const expired = { 'licence.expiresAt': { $lte: now } };
  const isBlocked = { $or: [{ 'licence.status': { $ne: 'active' as const } }, expired] };
  if (status === 'Blocked') return isBlocked;
  return { $nor: [isBlocked], needsReauthentication: status === 'NeedsReauthentication' };
}
