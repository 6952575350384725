import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { createUnderLock, creationLock } from '@fairlead/service-kit/mongo/creation-locks';
import { Binary } from 'mongodb';
import type { ClientSession } from 'mongodb';
import { MAX_KEPT_BYTES, MAX_KEPT_CALLS, MAX_OPEN_CALLS } from '../domain/detached-call.ts';
import type { CallEnd, CallName, DetachedCall, DetachedCallView } from '../domain/detached-call.ts';
import type { DetachedCalls, RunningCallStore, NewCall } from '../ports/detached-calls.ts';
import { callHolderCollection, detachedCallCollection } from './detached-call.collection.ts';
import type { DetachedCallDocument } from './detached-call.collection.ts';

/** Options of writes outside of requests. */
const WRITE_MS = 5_000;
const NO_OUTCOME = { outcome: 0 } as const;

/** The detached calls in MongoDB. */
export function createDetachedCallRepository({
  store,
  clock,
}: {
  readonly store: MongoStore;
  readonly clock: Clock;
}): DetachedCalls & RunningCallStore {
  const calls = store.collection(detachedCallCollection);
  const holders = store.collection(callHolderCollection);
  const kept = ({ accountId, owner, callId }: CallName) => ({
    accountId,
    _id: callId,
    owner,
    expiresAt: { $gt: clock.now() },
  });
  const open = (name: CallName) => ({ ...kept(name), isOpen: true });

  /** The dead ones among these processes. */
  async function goneHolders(ctx: RequestContext, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const alive = await holders
      .find({ _id: { $in: [...ids] }, aliveUntil: { $gt: clock.now() } }, operationOptions(ctx))
      .map(({ _id }) => _id)
      .toArray();
    return new Set(ids.filter((id) => !alive.includes(id)));
  }

  /** Marks the account's open calls of dead processes as lost. */
  async function endLost(ctx: RequestContext, accountId: string): Promise<void> {
    const ids = await calls.distinct('holder', { accountId, isOpen: true }, operationOptions(ctx));
    const gone = await goneHolders(ctx, ids);
    if (gone.size === 0) return;
    await calls.updateMany(
      { accountId, isOpen: true, holder: { $in: [...gone] } },
      { $set: ended('lost', clock.now()) },
      operationOptions(ctx),
    );
  }

  async function insertIfRoom(
    ctx: RequestContext,
    document: DetachedCallDocument,
  ): Promise<'full' | 'inserted'> {
    const { accountId } = document;
    const lock = creationLock(store, accountId, detachedCallCollection.name);
    const hasRoom = async (options: object): Promise<boolean> => {
      const [sums] = await calls
        .aggregate<{ open: number; kept: number; bytes: number }>(
          [
            { $match: { accountId, expiresAt: { $gt: clock.now() } } },
            {
              $group: {
                _id: null,
                open: { $sum: { $cond: ['$isOpen', 1, 0] } },
                kept: { $sum: 1 },
                bytes: { $sum: '$outcomeBytes' },
              },
            },
          ],
          options,
        )
        .toArray();
      if (sums === undefined) return true;
      return sums.open < MAX_OPEN_CALLS && sums.kept < MAX_KEPT_CALLS && sums.bytes < MAX_KEPT_BYTES;
    };
    return await createUnderLock(store, ctx, lock, hasRoom, async (session: ClientSession) => {
      await calls.insertOne(document, { ...operationOptions(ctx), session });
      return 'inserted' as const;
    });
  }

  return {
    async insert(ctx, call) {
      const document = newDocument(call, clock.now());
      // Open calls of a dead process count until they are ended.
      if ((await insertIfRoom(ctx, document)) === 'full') {
        await endLost(ctx, call.accountId);
        if ((await insertIfRoom(ctx, document)) === 'full') return undefined;
      }
      return callOf(document);
    },
    async find(ctx, name) {
      const found = await calls.findOne(kept(name), operationOptions(ctx));
      if (found === null) return undefined;
      if (!found.isOpen || (await goneHolders(ctx, [found.holder])).size === 0) return callOf(found);
      const lost = { $set: ended('lost', clock.now()) };
      await calls.updateOne({ ...open(name), holder: found.holder }, lost, operationOptions(ctx));
      const present = await calls.findOne(kept(name), operationOptions(ctx));
      return present === null ? undefined : callOf(present);
    },
    async list(ctx, { accountId, owner }, { after, limit }) {
      await endLost(ctx, accountId);
      const options = { ...operationOptions(ctx), projection: NO_OUTCOME };
      const filter = { accountId, owner, expiresAt: { $gt: clock.now() } };
      const before =
        after === undefined ? undefined : await calls.findOne({ ...filter, _id: after }, options);
      if (before === null) return [];
      const olderThan = before && {
        $or: [
          { createdAt: { $lt: before.createdAt } },
          { createdAt: before.createdAt, _id: { $lt: before._id } },
        ],
      };
      const documents = await calls
        .find({ ...filter, ...olderThan }, options)
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray();
      return documents.map(toCallView);
    },
    async cancel(ctx, name) {
      const update = { $set: ended('cancelled', clock.now()) };
      return (await calls.updateOne(open(name), update, operationOptions(ctx))).matchedCount === 1;
    },
    async removeRequests(ctx, name, keys) {
      await calls.updateOne(
        { ...open(name), 'requests.key': { $in: [...keys] } },
        { $pull: { requests: { key: { $in: [...keys] } } }, $set: { updatedAt: clock.now() } },
        operationOptions(ctx),
      );
    },
    async addRequest(name, request) {
      const update = { $push: { requests: request }, $set: { updatedAt: clock.now() } };
      await calls.updateOne(open(name), update, { maxTimeMS: WRITE_MS });
    },
    async removeRequest(name, key) {
      const update = { $pull: { requests: { key } }, $set: { updatedAt: clock.now() } };
      await calls.updateOne({ ...open(name), 'requests.key': key }, update, { maxTimeMS: WRITE_MS });
    },
    async end(name, end) {
      const outcome =
        end.kind === 'outcome'
          ? { outcome: new Binary(end.outcome), outcomeBytes: end.outcome.length, isFailed: end.isFailed }
          : {};
      const $set = { ...ended(end.kind, clock.now()), ...outcome };
      await calls.updateOne(open(name), { $set }, { maxTimeMS: WRITE_MS });
    },
    async open(accountId, callIds) {
      const filter = { accountId, _id: { $in: [...callIds] }, isOpen: true };
      const found = calls.find(filter, { projection: { _id: 1 }, maxTimeMS: WRITE_MS });
      return new Set(await found.map(({ _id }) => _id).toArray());
    },
    async beat(holder, forMs) {
      const aliveUntil = new Date(clock.now().getTime() + forMs);
      await holders.updateOne(
        { _id: holder },
        { $set: { aliveUntil } },
        { upsert: true, maxTimeMS: WRITE_MS },
      );
    },
  };
}

/** The members that ending a call sets. */
function ended(kind: CallEnd['kind'], now: Date) {
  return { isOpen: false, end: kind, requests: [], updatedAt: now };
}

function newDocument({ callId, keptMs, ...call }: NewCall, now: Date): DetachedCallDocument {
  return {
    _id: callId,
    ...call,
    isOpen: true,
    end: null,
    outcome: null,
    outcomeBytes: 0,
    createdAt: now,
    updatedAt: now,
    expiresAt: new Date(now.getTime() + keptMs),
  };
}

function callOf(document: DetachedCallDocument): DetachedCall {
  const { end, isFailed, ...call } = toCallView(document);
  const { outcome } = document;
  if (end === undefined) return { ...call, end };
  if (end !== 'outcome') return { ...call, end: { kind: end } };
  return { ...call, end: { kind: end, outcome: outcome?.buffer ?? new Uint8Array(), isFailed } };
}

/** Decodes a call; its outcome may not have been read. */
export function toCallView(document: Omit<DetachedCallDocument, 'outcome'>): DetachedCallView {
  const { _id: callId, toolName, requests, isFailed = false, createdAt, updatedAt, expiresAt } = document;
  const end = document.end ?? undefined;
  return { callId, toolName, requests, end, isFailed, createdAt, updatedAt, expiresAt };
}
