import { createBatcher } from '@fairlead/service-kit/batch/batcher';
import type { BatchLimits } from '@fairlead/service-kit/batch/batcher';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { EndedSessions } from '../ended-sessions.ts';
import { endedSessionCollection } from './ended-session.collection.ts';

/** Maximum waiting requests; each holds a key. */
const LIMITS: BatchLimits = {
  itemsPerBatch: 200,
  bytesPerBatch: Infinity,
  waitingItems: 20_000,
  waitingBytes: Infinity,
  batches: 16,
  slowMs: 20,
  rest: { ms: 10, afterItems: 3, timesTaken: 2 },
};
/** Ends a query that hangs; callers stop waiting earlier, at their own deadlines. */
const READ_TIMEOUT_MS = 10_000;

/**
 * Ended sessions in the gateway's database. During an outage of NATS, every request of a session asks here. Requests
 * that arrive during a query share the next query, so no caller gets data that was read before it asked (service-kit
 * batch/batcher).
 */
export function endedSessionRepository(store: MongoStore): EndedSessions {
  const sessions = store.collection(endedSessionCollection);
  const reads = createBatcher<string, boolean>({
    limits: LIMITS,
    async process(keys) {
      // No filter by time, because expired ids are refused before this look-up.
      const found = await sessions
        .find(
          { _id: { $in: [...new Set(keys)] } },
          { projection: { _id: 1 }, batchSize: 2 * LIMITS.itemsPerBatch, maxTimeMS: READ_TIMEOUT_MS },
        )
        .toArray();
      const ended = new Set(found.map(({ _id }) => _id));
      return keys.map((key) => ({ status: 'done', value: ended.has(key) }));
    },
  });
  return {
    async add(ctx, { key, expiresAt }) {
      await sessions.updateOne(
        { _id: key },
        { $setOnInsert: { expiresAt } },
        { upsert: true, ...operationOptions(ctx) },
      );
    },
    has: (ctx, key) => reads.add(key, { signal: ctx.signal }),
  };
}
