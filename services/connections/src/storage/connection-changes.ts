import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { ClientSession } from 'mongodb';
import type { ConnectionChange } from '../domain/connection-change.ts';
import { kindsOfChange } from '../domain/connection-change.ts';
import type { ConnectionCounts } from './connection-counts.ts';
import { listingOf } from './connection-listing.ts';
import { toConnection } from './connection-mapping.ts';
import type { ConnectionDocument } from './connection.collection.ts';
import { connectionCollection } from './connection.collection.ts';
import { revocationCollection, revocationOf } from './revocation.collection.ts';

/** Writes that accompany every write of a connection: its listing, its count and its change records. */
export interface ConnectionChanges {
  /**
   * Call this in the transaction of each write that creates or removes a connection, or may change its status. It counts the connection,
   * stores the status that lists filter by, and records the change for other services if they need it. When a connection is removed, its
   * sealed grant is kept until it is revoked.
   */
  record(
    session: ClientSession,
    write: {
      /** The document before the write; undefined: it did not exist. */
      readonly former: ConnectionDocument | undefined;
      /** The document after the write; undefined: it was removed. */
      readonly present: ConnectionDocument | undefined;
      readonly now: Date;
      /** Why the connection needs a new sign-in, if the write says that it does. */
      readonly reason?: string;
    },
  ): Promise<void>;
}

/** Writes change records by `append`, in the same transaction. */
export function createConnectionChanges(
  store: MongoStore,
  counts: Pick<ConnectionCounts, 'add'>,
  append: (session: ClientSession, change: ConnectionChange) => Promise<void>,
): ConnectionChanges {
  const connections = store.collection(connectionCollection);
  const revocations = store.collection(revocationCollection);

  /** Stores the members by which the connection is listed (`listedStatus`, `blocksAt`) if they have changed; returns the changed document. */
  async function updateListing(
    session: ClientSession,
    document: ConnectionDocument,
    now: Date,
  ): Promise<ConnectionDocument> {
    const { accountId, _id, listedStatus, blocksAt } = document;
    const listing = listingOf(document, now);
    const isSame =
      listing.listedStatus === listedStatus && listing.blocksAt?.getTime() === blocksAt?.getTime();
    if (!isSame) await connections.updateOne({ accountId, _id }, { $set: listing }, { session });
    return { ...document, ...listing };
  }

  return {
    async record(session, { former, present, now, reason }) {
      const after = present && (await updateListing(session, present, now));
      await counts.add(session, [{ former, present: after }]);
      const revocation =
        former !== undefined && present === undefined ? revocationOf(former, now) : undefined;
      if (revocation !== undefined) await revocations.insertOne(revocation, { session });
      const document = after ?? former;
      if (document === undefined) return;
      const connection = toConnection(document);
      const kinds = kindsOfChange(former && toConnection(former), after && connection);
      for (const kind of kinds) {
        const isReason = reason !== undefined && kind === 'needsReauthentication';
        await append(session, { kind, connection, occurredAt: now, ...(isReason && { reason }) });
      }
    },
  };
}
