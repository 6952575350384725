import type { ClientSession } from 'mongodb';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import { fewerThan, hasRoomUnderLock } from '@fairlead/service-kit/mongo/creation-locks';
import { sessionNotFound, toSessionConnection } from '../domain/connect-session.ts';
import type { Connection } from '../domain/connection.ts';
import { tooManyConnections } from '../domain/end-user.ts';
import type { SessionUse } from '../ports/connection-store.ts';
import { connectSessionCollection } from './connect-session.collection.ts';
import { connectionCollection } from './connection.collection.ts';
import { endUserCollection } from './end-user.collection.ts';

/** Rules for connections of end users, checked in the transaction that stores one. */
export interface EndUserWrites {
  /** Throws CONFLICT if the end user has `maxConnections`. If two writes are concurrent, one is retried and counts the other. */
  requirePlace(
    session: ClientSession,
    ctx: RequestContext,
    endUser: { readonly accountId: string; readonly endUserId: string; readonly maxConnections: number },
  ): Promise<void>;
  /**
   * Removes the record of an end user without connections; returns whether there were none. If a connection is stored concurrently, one of
   * the two transactions is retried and sees the other.
   */
  forget(
    session: ClientSession,
    ctx: RequestContext,
    endUser: { readonly accountId: string; readonly endUserId: string },
  ): Promise<boolean>;
  /** Adds a connection to its session; throws NOT_FOUND if the session can connect no more. */
  completeSession(
    session: ClientSession,
    ctx: RequestContext,
    connection: Connection,
    use: SessionUse,
    now: Date,
  ): Promise<void>;
}

/** Implements the rules with MongoDB. */
export function createEndUserWrites(store: MongoStore): EndUserWrites {
  const connections = store.collection(connectionCollection);
  const endUsers = store.collection(endUserCollection);
  const sessions = store.collection(connectSessionCollection);
  return {
    async requirePlace(session, ctx, { accountId, endUserId, maxConnections }) {
      const endUser = { accountId, endUserId };
      const isFree = await hasRoomUnderLock(
        session,
        ctx,
        { at: endUsers, key: endUser },
        fewerThan(maxConnections, { of: connections, like: endUser }),
      );
      if (!isFree) throw tooManyConnections(maxConnections);
    },

    async forget(session, ctx, { accountId, endUserId }) {
      const options = { ...operationOptions(ctx), session };
      const endUser = { accountId, endUserId };
      if ((await connections.countDocuments(endUser, { ...options, limit: 1 })) > 0) return false;
      await endUsers.deleteOne(endUser, options);
      return true;
    },

    async completeSession(session, ctx, connection, { sessionId, connectsOnce }, now) {
      const { accountId, endUserId, id } = connection;
      const renewing = endUserId === null ? { renewsShared: true, connectionId: id } : { endUserId };
      const usable = {
        accountId,
        ...renewing,
        _id: sessionId,
        endedAt: null,
        expiresAt: { $gt: now },
        ...(connectsOnce && { 'connections.0': { $exists: false } }),
      };
      const { matchedCount } = await sessions.updateOne(
        usable,
        {
          $push: { connections: toSessionConnection(connection) },
          $set: { lastError: null, updatedAt: now },
        },
        { ...operationOptions(ctx), session },
      );
      if (matchedCount === 0) throw sessionNotFound();
    },
  };
}
