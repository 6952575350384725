import type { ClientSession } from 'mongodb';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { ConnectSession } from '../domain/connect-session.ts';
import {
  MAX_REFUSED_ATTEMPTS,
  MAX_SESSION_SIGN_INS,
  SESSION_RETENTION_MS,
} from '../domain/connect-session.ts';
import type { ConnectSessionStore } from '../ports/connect-session-store.ts';
import type { ConnectSessionDocument } from './connect-session.collection.ts';
import { connectSessionCollection } from './connect-session.collection.ts';
import { signInCollection } from './sign-in.collection.ts';

/** The connect sessions in MongoDB. */
export function createConnectSessionRepository(store: MongoStore): ConnectSessionStore {
  const sessions = store.collection(connectSessionCollection);
  const signIns = store.collection(signInCollection);

  async function removeSignIns(
    ctx: RequestContext,
    accountId: string,
    states: readonly string[],
    session?: ClientSession,
  ): Promise<void> {
    if (states.length === 0) return;
    const options = { ...operationOptions(ctx), ...(session !== undefined && { session }) };
    await signIns.deleteMany({ accountId, _id: { $in: [...states] } }, options);
  }

  return {
    async insert(ctx, { id, metadata, ...session }) {
      const document: ConnectSessionDocument = {
        ...session,
        _id: id,
        metadata: metadata.text,
        connections: [],
        signInStates: [],
        lastError: null,
        endedAt: null,
        endedBy: null,
        updatedAt: session.createdAt,
        purgeAt: new Date(session.expiresAt.getTime() + SESSION_RETENTION_MS),
      };
      await sessions.insertOne(document, operationOptions(ctx));
      return toConnectSession(document);
    },

    async find(ctx, accountId, id) {
      const document = await sessions.findOne({ accountId, _id: id }, operationOptions(ctx));
      return document === null ? undefined : toConnectSession(document);
    },

    async findByToken(ctx, tokenHash) {
      const document = await sessions.findOne({ tokenHash }, operationOptions(ctx));
      return document === null ? undefined : toConnectSession(document);
    },

    async isOriginAllowed(ctx, origin, now) {
      const options = { ...operationOptions(ctx), projection: { _id: 1 } };
      const allowing = { allowedOrigins: origin, expiresAt: { $gt: now } };
      return (await sessions.findOne(allowing, options)) !== null;
    },

    async end(ctx, accountId, id, { by, at }) {
      const options = { ...operationOptions(ctx), returnDocument: 'after' } as const;
      const ended =
        (await sessions.findOneAndUpdate(
          { accountId, _id: id, endedAt: null, expiresAt: { $gt: at } },
          { $set: { endedAt: at, endedBy: by, updatedAt: at } },
          options,
        )) ?? (await sessions.findOne({ accountId, _id: id }, operationOptions(ctx)));
      if (ended === null) return undefined;
      await removeSignIns(ctx, accountId, ended.signInStates);
      return toConnectSession(ended);
    },

    async addSignIn(ctx, accountId, id, state, now) {
      const before = await sessions.findOneAndUpdate(
        { accountId, _id: id, endedAt: null, expiresAt: { $gt: now } },
        { $push: { signInStates: { $each: [state], $slice: -MAX_SESSION_SIGN_INS } } },
        { ...operationOptions(ctx), returnDocument: 'before' },
      );
      const former = before?.signInStates ?? [];
      const surplus = Math.max(0, former.length + 1 - MAX_SESSION_SIGN_INS);
      await removeSignIns(ctx, accountId, before === null ? [state] : former.slice(0, surplus));
    },

    async countAttempt(ctx, accountId, id) {
      const { matchedCount } = await sessions.updateOne(
        { accountId, _id: id, refusedAttempts: { $not: { $gte: MAX_REFUSED_ATTEMPTS } } },
        { $inc: { refusedAttempts: 1 } },
        operationOptions(ctx),
      );
      return matchedCount > 0;
    },

    async forgetAttempt(ctx, accountId, id) {
      await sessions.updateOne(
        { accountId, _id: id },
        { $inc: { refusedAttempts: -1 } },
        operationOptions(ctx),
      );
    },

    async saveLastError(ctx, accountId, id, lastError, now) {
      await sessions.updateOne(
        { accountId, _id: id },
        { $set: { lastError, updatedAt: now } },
        operationOptions(ctx),
      );
    },

    async deleteOfEndUser(ctx, accountId, endUserId) {
      await store.withTransaction(async (session) => {
        const options = { ...operationOptions(ctx), session };
        const filter = { accountId, endUserId };
        const found = await sessions.find(filter, { ...options, projection: { signInStates: 1 } }).toArray();
        const states = found.flatMap(({ signInStates }) => [...signInStates]);
        await removeSignIns(ctx, accountId, states, session);
        await sessions.deleteMany(filter, options);
      });
    },
  };
}

/** Decodes a session, without its token hash. */
export function toConnectSession(document: ConnectSessionDocument): ConnectSession {
  const {
    _id,
    metadata,
    tokenHash: _hash,
    signInStates: _states,
    refusedAttempts: _refused,
    purgeAt: _purge,
    ...same
  } = document;
  return {
    ...same,
    id: _id,
    keyId: document.keyId ?? null,
    endedBy: document.endedBy ?? null,
    metadata: new LazyJson(Buffer.from(metadata)),
  };
}
