import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { newestPage } from '@fairlead/service-kit/mongo/newest-page';
import { DUPLICATE_KEY } from '@fairlead/service-kit/mongo/write-errors';
import { MongoBulkWriteError } from 'mongodb';
import type { Filter, WithId } from 'mongodb';
import { EMPTY_CHAIN, headOf } from '../domain/chain.ts';
import type { AuditEntry } from '../domain/entry.ts';
import type { AuditActor } from '../domain/event.ts';
import type { AuditFilter, AuditStore, ClaimedEntry } from '../ports/audit-store.ts';
import { auditBatchCollection, auditChainCollection } from './audit-chain.collection.ts';
import { auditCursorCollection } from './audit-cursor.collection.ts';
import { UNCHAINED, auditEntryCollection } from './audit-entry.collection.ts';
import type { AuditEntryDocument } from './audit-entry.collection.ts';
import type { AuditBatch } from '../domain/batch.ts';

/** Every collection of the audit module. */
export const auditCollections = [
  auditEntryCollection,
  auditBatchCollection,
  auditChainCollection,
  auditCursorCollection,
];

/** Writing an entry fails soon: a call must not hang while the database is in trouble. */
const WRITE_LIMIT_MS = 5_000;
/** Batches read at once by a verification: at 0.1 MiB a batch and 1 KiB an entry at most a few MiB, and some milliseconds of work. */
const BATCHES_AT_ONCE = 20;
const ENTRIES_AT_ONCE = 500;

/** The audit logs in the gateway's database, whose collections are auditCollections. */
export function auditRepository(store: MongoStore): AuditStore {
  const entries = store.collection(auditEntryCollection);
  const batches = store.collection(auditBatchCollection);
  const chains = store.collection(auditChainCollection);
  return {
    async insert(entry) {
      await entries.insertOne(unchained(entry), { maxTimeMS: WRITE_LIMIT_MS });
    },

    async insertMissing(fetched) {
      try {
        // Unordered, so that the entries after an existing one are inserted too.
        await entries.insertMany(fetched.map(unchained), { ordered: false, maxTimeMS: WRITE_LIMIT_MS });
      } catch (error) {
        if (!isOnlyDuplicates(error)) throw error;
      }
    },

    async findUnchainedLogs(limit) {
      const logs = await entries
        .aggregate<{ _id: string }>([
          { $match: { batch: UNCHAINED } },
          { $group: { _id: '$accountId' } },
          { $limit: limit },
        ])
        .toArray();
      return logs.map(({ _id }) => _id);
    },

    async list(ctx, accountId, filter, page) {
      const query = listQuery(accountId, filter);
      const { documents, totalCount } = await newestPage(entries, ctx, query, page);
      return { items: documents.map(entryOf), totalCount };
    },

    chain: (accountId, limit, seal) =>
      store.withTransaction(async (session) => {
        const documents = await entries
          .find({ accountId, batch: UNCHAINED }, { session })
          .sort({ createdAt: 1, _id: 1 })
          .limit(limit)
          .toArray();
        const [first, ...others] = documents.map(entryOf);
        if (first === undefined) return undefined;
        const head = (await chains.findOne({ _id: accountId }, { session })) ?? EMPTY_CHAIN;
        const batch = seal(head, [first, ...others]);
        const { hash, sequence, keptUntil } = headOf(batch);
        // The head first, so that two transactions that chain the same log wait for each other.
        await chains.updateOne(
          { _id: accountId },
          { $set: { hash, sequence, keptUntil } },
          { session, upsert: true },
        );
        // A copy, because the driver adds `_id` to its argument.
        await batches.insertOne({ ...batch }, { session });
        await entries.bulkWrite(
          documents.map(({ _id }, position) => ({
            updateOne: { filter: { _id }, update: { $set: { batch: sequence, position } } },
          })),
          { session },
        );
        return batch;
      }),

    async findHead(ctx, accountId) {
      return (await chains.findOne({ _id: accountId }, operationOptions(ctx))) ?? undefined;
    },

    async findLastClaim(ctx, accountId) {
      const [last] = await entries
        .find({ accountId }, operationOptions(ctx))
        .sort({ batch: -1 })
        .limit(1)
        .toArray();
      return last === undefined || last.batch === UNCHAINED ? undefined : claimOf(last);
    },

    readBatches: (ctx, accountId) =>
      batches
        .find({ accountId }, { ...operationOptions(ctx), batchSize: BATCHES_AT_ONCE })
        .sort({ sequence: 1 })
        .map(batchOf),

    readClaims: (ctx, accountId) =>
      entries
        .find(
          { accountId, batch: { $ne: UNCHAINED } },
          { ...operationOptions(ctx), batchSize: ENTRIES_AT_ONCE },
        )
        .sort({ batch: 1, position: 1 })
        .map(claimOf),

    countUnchained: (ctx, accountId) =>
      entries.countDocuments({ accountId, batch: UNCHAINED }, operationOptions(ctx)),
  };
}

/** Actors that are named by their kind; no user has such an id. */
const KINDS: ReadonlySet<string> = new Set<AuditActor['kind']>(['operator', 'system']);

/** The filter of a list. Exported for the test that explains the query. */
export function listQuery(accountId: string, filter: AuditFilter): Filter<AuditEntryDocument> {
  const { from, to, actor, action } = filter;
  const createdAt = { ...(from && { $gte: from }), ...(to && { $lt: to }) };
  return {
    accountId,
    ...(actor !== undefined && (KINDS.has(actor) ? { 'actor.kind': actor } : { 'actor.userId': actor })),
    ...(action !== undefined && { action }),
    ...(Object.keys(createdAt).length > 0 && { createdAt }),
  };
}

function unchained({ id, ...entry }: AuditEntry): AuditEntryDocument {
  return { _id: id, ...entry, batch: UNCHAINED, position: 0 };
}

/** Whether every entry was written except those that existed before. A write that is not durable has another code. */
function isOnlyDuplicates(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError) || error.code !== DUPLICATE_KEY) return false;
  return [error.writeErrors].flat().every(({ code }) => code === DUPLICATE_KEY);
}

/** The entry that a document holds. */
export function entryOf({
  _id,
  batch: _batch,
  position: _position,
  ...entry
}: AuditEntryDocument): AuditEntry {
  return { id: _id, ...entry };
}

function claimOf(document: AuditEntryDocument): ClaimedEntry {
  return { batch: document.batch, entry: entryOf(document) };
}

function batchOf({ _id, ...batch }: WithId<AuditBatch>): AuditBatch {
  return batch;
}
