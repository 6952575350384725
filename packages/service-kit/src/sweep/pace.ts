import type { Clock } from '../clock.ts';
import { defineCollection } from '../mongo/collection.ts';
import type { MongoStore } from '../mongo/mongo.ts';
import { isDuplicateKey } from '../mongo/write-errors.ts';

/** The planned starts of a partition. */
export interface PaceDocument {
  /** `<name of the pace>/<partition>`. */
  readonly _id: string;
  /** The earliest free start. */
  readonly next: Date;
  /** The last reservation: `count` starts of one process, from `from` on. */
  readonly from: Date;
  readonly count: number;
  readonly expiresAt: Date;
}

/** The paces of a service's sweeps. MongoDB deletes past ones. */
export const paceCollection = defineCollection<PaceDocument>({
  name: 'paces',
  indexes: [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
});

/** Reserves up to `count` starts of a partition, each at least an interval after every other start of that partition. */
export type Pace = (partition: string, count: number) => Promise<readonly Date[]>;

const ATTEMPTS = 3;
/** Longer than clocks may differ, so a deleted pace has no start in the future. */
const KEPT_MS = 60_000;

/**
 * A start rate that all replicas share: two starts of a partition are at least 1/`perSecond` seconds apart, so no
 * second has more than `perSecond`. A start is at most `aheadMs` away; unused reservations are lost. Replica clocks
 * that differ by less than `aheadMs` may shorten the distance of two starts by as much.
 */
export function createPace(
  store: Pick<MongoStore, 'collection'>,
  o: {
    readonly name: string;
    readonly perSecond: number;
    readonly aheadMs: number;
    readonly clock: Clock;
  },
): Pace {
  const paces = store.collection(paceCollection);
  const intervalMs = 1000 / o.perSecond;

  const take = async (partition: string, count: number): Promise<PaceDocument> => {
    const now = o.clock.now();
    const planned = new Date(now.getTime() + o.aheadMs);
    const free = { $ceil: { $divide: [{ $subtract: [planned, '$from'] }, intervalMs] } };
    const next = { $add: ['$from', { $multiply: ['$count', intervalMs] }] };
    const document = await paces.findOneAndUpdate(
      { _id: `${o.name}/${partition}` },
      [
        { $set: { from: { $max: [{ $ifNull: ['$next', now] }, now] } } },
        { $set: { count: { $max: [0, { $min: [count, free] }] } } },
        { $set: { next, expiresAt: { $add: [next, KEPT_MS] } } },
      ],
      { upsert: true, returnDocument: 'after' },
    );
    if (document === null) throw new Error('A pace was not written.');
    return document;
  };

  return async (partition, startCount) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { from, count } = await take(partition, startCount);
        return Array.from({ length: count }, (_, index) => new Date(from.getTime() + index * intervalMs));
      } catch (error) {
        // Another replica created the pace at the same time. Nothing was written, but it exists now.
        const isCreated = isDuplicateKey(error);
        if (!isCreated || attempt === ATTEMPTS) throw error;
      }
    }
  };
}
