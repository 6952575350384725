import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { isDuplicateKey } from '@fairlead/service-kit/mongo/write-errors';
import type { Document } from 'mongodb';
import type { KeyLock, KeyState, StoredAnswer } from '../domain/record.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import { answerPieceCollection, idempotencyCollection } from './idempotency.collection.ts';
import type { IdempotencyDocument } from './idempotency.collection.ts';

/** Every collection of the idempotency module. */
export const idempotencyCollections = [idempotencyCollection, answerPieceCollection];

const DAY_MS = 24 * 60 * 60 * 1000;
/** Pieces outlive their record by this, so that a reader of the record still finds them. */
const PIECE_MARGIN_MS = 60 * 60 * 1000;
/** An operation that takes longer fails: a call must not hang on a database in trouble. */
const OPERATION_LIMIT_MS = 5000;

/** The store in the gateway's database. */
export interface IdempotencyRepository extends IdempotencyStore {
  /** Deletes every key and response of the account. Calls in progress can no longer store anything. */
  eraseIdempotencyOf(accountId: string): Promise<void>;
}

/** The repository on `store`, whose collections are idempotencyCollections. Every time is the database's own. */
export function idempotencyRepository(
  store: MongoStore,
  o: { readonly retentionMs?: number } = {},
): IdempotencyRepository {
  const { retentionMs = DAY_MS } = o;
  const keys = store.collection(idempotencyCollection);
  const pieces = store.collection(answerPieceCollection);

  /** Stores `lock` if `isFree` holds for the current document, in one write; returns the resulting document, if any. */
  function place(
    id: string,
    lock: KeyLock,
    { isFree, upsert }: { readonly isFree: Document; readonly upsert: boolean },
  ): Promise<IdempotencyDocument | null> {
    const fresh = {
      _id: { $literal: id },
      accountId: { $literal: lock.accountId ?? null },
      runId: { $literal: lock.lockId },
      fingerprint: { $literal: lock.fingerprint },
      leaseUntil: { $add: ['$$NOW', lock.leaseMs] },
      expiresAt: { $add: ['$$NOW', retentionMs] },
    };
    return keys.findOneAndUpdate({ _id: id }, [{ $replaceWith: { $cond: [isFree, fresh, '$$ROOT'] } }], {
      upsert,
      returnDocument: 'after',
      maxTimeMS: OPERATION_LIMIT_MS,
    });
  }

  async function storedAnswer(
    lockId: string,
    { status, piece, pieceCount }: NonNullable<IdempotencyDocument['answer']>,
  ): Promise<StoredAnswer> {
    if (pieceCount === 1) return { status, pieces: [piece] };
    const further = await pieces
      .find({ runId: lockId }, { maxTimeMS: OPERATION_LIMIT_MS })
      .sort({ index: 1 })
      .toArray();
    if (further.length !== pieceCount - 1)
      throw new Error('Pieces of the response of an idempotency key are missing.');
    return { status, pieces: [piece, ...further.map((document) => document.piece)] };
  }

  return {
    async acquire(id, lock) {
      const placed = await retryOnce(() => place(id, lock, { isFree: IS_FREE, upsert: true }));
      if (placed === null) throw new Error('The idempotency key was not stored.');
      return placed.runId === lock.lockId ? undefined : toStanding(placed, storedAnswer);
    },
    async takeOver(id, staleLockId, lock) {
      const placed = await place(id, lock, { isFree: isStale(staleLockId), upsert: false });
      return placed?.runId === lock.lockId;
    },
    async keep(id, lockId, { status, pieces: [piece, ...further], accountId }) {
      if (piece === undefined) throw new Error('A response has at least one piece.');
      // Also if it has a response: an earlier attempt may have been written although it reported an error.
      const own = { _id: id, runId: lockId };
      const limits = { maxTimeMS: OPERATION_LIMIT_MS };
      if (further.length > 0) {
        const record = await keys.findOne(own, limits);
        if (record === null) return false;
        const expiresAt = new Date(record.expiresAt.getTime() + PIECE_MARGIN_MS);
        const owner = accountId ?? record.accountId;
        await pieces.bulkWrite(
          further.map((text, index) => ({
            replaceOne: {
              filter: { _id: `${lockId}.${index + 1}` },
              replacement: {
                accountId: owner,
                slotId: id,
                runId: lockId,
                index: index + 1,
                piece: text,
                expiresAt,
              },
              upsert: true,
            },
          })),
        );
      }
      const kept = {
        answer: { status, piece, pieceCount: further.length + 1 },
        ...(accountId !== undefined && { accountId }),
      };
      const { matchedCount } = await keys.updateOne(own, { $set: kept }, limits);
      return matchedCount === 1;
    },
    async release(id, lockId) {
      await keys.deleteOne(
        { _id: id, runId: lockId, answer: { $exists: false } },
        { maxTimeMS: OPERATION_LIMIT_MS },
      );
    },
    async eraseIdempotencyOf(accountId) {
      await keys.deleteMany({ accountId });
      await pieces.deleteMany({ accountId });
    },
  };
}

const IS_FREE: Document = {
  $or: [{ $eq: [{ $type: '$runId' }, 'missing'] }, { $lte: ['$expiresAt', '$$NOW'] }],
};

function isStale(lockId: string): Document {
  return {
    $and: [
      { $eq: ['$runId', { $literal: lockId }] },
      { $eq: [{ $type: '$answer' }, 'missing'] },
      { $lte: ['$leaseUntil', '$$NOW'] },
    ],
  };
}

async function toStanding(
  { runId: lockId, fingerprint, answer }: IdempotencyDocument,
  storedAnswer: (lockId: string, answer: NonNullable<IdempotencyDocument['answer']>) => Promise<StoredAnswer>,
): Promise<KeyState> {
  return answer === undefined
    ? { kind: 'locked', lockId, fingerprint }
    : { kind: 'kept', lockId, fingerprint, answer: await storedAnswer(lockId, answer) };
}

/** If two calls create the same document at once, one of them gets this error, and then finds the document. */
async function retryOnce<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isDuplicateKey(error)) return write();
    throw error;
  }
}
