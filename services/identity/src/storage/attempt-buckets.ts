import { createHash } from 'node:crypto';
import type { Clock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { AttemptBuckets } from '../ports/attempt-buckets.ts';
import { attemptBucketCollection } from './attempt-bucket.collection.ts';

const HASH_DIGITS = 5;
/** Timeout of a count: a sign-in must not hang because the database is in trouble. */
const COUNT_LIMIT_MS = 5000;

/** Buckets in the database, shared by all replicas. Stores neither addresses nor names, only prefixes of hashes. */
export function attemptBuckets(o: { readonly store: MongoStore; readonly clock: Clock }): AttemptBuckets {
  const buckets = o.store.collection(attemptBucketCollection);
  return {
    async take({ kind, source, capacity, refillMs }) {
      const now = o.clock.now();
      // A bucket that will be empty by this time has room for one more.
      const limit = new Date(now.getTime() + (capacity - 1) * refillMs);
      const start = { $max: ['$emptyAt', now] };
      const before = await buckets.findOneAndUpdate(
        { _id: idOf(kind, source) },
        [
          {
            $set: {
              emptyAt: {
                $cond: [{ $lte: [start, limit] }, { $add: [start, refillMs] }, '$emptyAt'],
              },
            },
          },
        ],
        { upsert: true, returnDocument: 'before', maxTimeMS: COUNT_LIMIT_MS },
      );
      return Math.max(0, (before?.emptyAt.getTime() ?? 0) - limit.getTime());
    },
    async giveBack({ kind, source, refillMs }) {
      await buckets.updateOne(
        { _id: idOf(kind, source) },
        [{ $set: { emptyAt: { $subtract: ['$emptyAt', refillMs] } } }],
        { maxTimeMS: COUNT_LIMIT_MS },
      );
    },
    async forget({ kind, source }) {
      await buckets.deleteOne({ _id: idOf(kind, source) }, { maxTimeMS: COUNT_LIMIT_MS });
    },
  };
}

function idOf(kind: string, source: string): string {
  return `${kind}:${createHash('sha256').update(source).digest('hex').slice(0, HASH_DIGITS)}`;
}
