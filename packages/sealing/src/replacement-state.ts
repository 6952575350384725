import type { Db, Document, UpdateFilter } from 'mongodb';
import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import { dataKeyCollection } from './data-keys.ts';
import type { BatchResult, DocumentId } from './resealing.ts';
import { isDuplicateKey } from '@fairlead/service-kit/mongo/write-errors';

/**
 * A replacement of every data key of a database. `issuing`: each scope gets a new data key. `waiting`: until `resumeAt`,
 * when nobody seals with a former key any more. `resealing`: a pass over the sealed values. `retiring`: a whole pass found
 * nothing under a former key, so they are removed.
 */
export interface ReplacementDocument {
  readonly _id: 'replacement';
  /** Counts the replacements of the database, from 1 on. */
  readonly number: number;
  readonly phase: 'issuing' | 'waiting' | 'resealing' | 'retiring' | 'done';
  readonly requestedAt: Date;
  readonly finishedAt?: Date;
  readonly resumeAt?: Date;
  /** Data keys that were replaced. */
  readonly issued: number;
  /** Documents whose values were sealed anew, in all passes. */
  readonly resealed: number;
  /** Number of the pass, from 1 on. */
  readonly pass: number;
  /** Estimated number of documents in the pass, taken when it began. */
  readonly total: number;
  /** Where the next batch starts: in the pass's collection, or among the data keys. Absent: at the beginning. */
  readonly collection?: string;
  readonly position?: DocumentId;
  /** Counts of this pass; see BatchResult. */
  readonly examined: number;
  readonly found: number;
  readonly failed: number;
  readonly unreadable: number;
  readonly failedScopes: readonly string[];
}

/** The current replacement of a database's data keys, or the last one. */
const replacementCollection = defineCollection<ReplacementDocument>({
  name: 'dataKeyReplacements',
  indexes: [],
});

/** The collections of every service that seals. */
export const sealingCollections = [dataKeyCollection, replacementCollection];

/** The stored state of replacements. After a process has lost its lease, its writes are harmless or have no effect. */
export interface ReplacementState {
  read(): Promise<ReplacementDocument | undefined>;
  /** Requests a replacement and returns its number; undefined: one is in progress. */
  request(): Promise<number | undefined>;
  /** Whether the waiting time of the current replacement is over. */
  isDue(): Promise<boolean>;
  /** Records that a page of data keys was replaced. */
  issued(of: ReplacementDocument, position: string, counts: IssueCounts): Promise<void>;
  /** Records a batch of a pass. */
  resealed(of: ReplacementDocument, collection: string, batch: BatchResult): Promise<void>;
  /** Moves to `waiting` for `waitMs` before the pass of that number. */
  wait(of: ReplacementDocument, pass: number, waitMs: number): Promise<void>;
  startPass(of: ReplacementDocument, total: number): Promise<void>;
  retire(of: ReplacementDocument): Promise<void>;
  finish(of: ReplacementDocument): Promise<void>;
}

/** Data keys of a page that were replaced, and data keys that cannot be opened. */
interface IssueCounts {
  readonly issued: number;
  readonly failed: number;
}

/** The counts that start again with each pass. */
const PASS_START = { examined: 0, found: 0, failed: 0, unreadable: 0, failedScopes: [] };

/** The state in the service's own database. Its times are the database's. */
export function replacementState(mongo: { readonly db: Db }): ReplacementState {
  const states = mongo.db.collection<ReplacementDocument>(replacementCollection.name);
  const _id = 'replacement' as const;

  /** Updates the state if its phase and pass are still those of `of`. */
  async function update(
    { number, phase, pass }: ReplacementDocument,
    change: UpdateFilter<ReplacementDocument> | Document[],
  ): Promise<void> {
    await states.updateOne({ _id, number, phase, pass }, change);
  }

  return {
    read: async () => (await states.findOne({ _id })) ?? undefined,
    async request() {
      const start = { phase: 'issuing', requestedAt: '$$NOW', issued: 0, resealed: 0, pass: 0, total: 0 };
      const number = { $add: [{ $ifNull: ['$number', 0] }, 1] };
      const fresh = { number, ...start, ...PASS_START };
      try {
        const stored = await states.findOneAndUpdate(
          { _id, phase: 'done' },
          [{ $set: fresh }, { $unset: ['finishedAt', 'resumeAt', 'collection', 'position'] }],
          {
            upsert: true,
            returnDocument: 'after',
          },
        );
        return stored?.number;
      } catch (error) {
        // The document exists in another phase.
        if (isDuplicateKey(error)) return undefined;
        throw error;
      }
    },
    async isDue() {
      const due = { _id, phase: 'waiting' as const, $expr: { $lte: ['$resumeAt', '$$NOW'] } };
      return (await states.countDocuments(due)) === 1;
    },
    issued: (of, position, { issued, failed }) =>
      update(of, { $set: { position }, $inc: { issued, failed } }),
    resealed: (of, collection, { position, failedScopes, examined, found, resealed, failed, unreadable }) =>
      update(of, {
        $set: { collection, position },
        $inc: { examined, found, resealed, failed, unreadable },
        $addToSet: { failedScopes: { $each: [...failedScopes] } },
      }),
    wait: (of, pass, waitMs) =>
      update(of, [
        { $set: { phase: 'waiting', pass, resumeAt: { $add: ['$$NOW', waitMs] } } },
        { $unset: ['collection', 'position'] },
      ]),
    startPass: (of, total) =>
      update(of, {
        $set: { phase: 'resealing', total, ...PASS_START },
        $unset: { collection: '', position: '', resumeAt: '' },
      }),
    retire: (of) => update(of, { $set: { phase: 'retiring' } }),
    // Positions and scopes may be ids of accounts, which may be erased later.
    finish: (of) =>
      update(of, [
        { $set: { phase: 'done', finishedAt: '$$NOW', failedScopes: [] } },
        { $unset: ['collection', 'position'] },
      ]),
  };
}
