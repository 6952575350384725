import type { Document } from 'mongodb';
import { defineCollection } from '@fairlead/service-kit/mongo/collection';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { TAIL_SHARE } from './window-store.ts';
import type { Grant, Order, Window, WindowStore } from './window-store.ts';
import { HOUR_MS } from './windows.ts';
import { isDuplicateKey } from '@fairlead/service-kit/mongo/write-errors';

/** One window of one limit of one key. */
export interface RateWindowDocument {
  /** `<key>/<name>/<start in ISO 8601>`: the windows of a key form one range. */
  readonly _id: string;
  /** Calls that replicas have taken, whether spent or not. */
  readonly used: number;
  /** Number of calls that the last order was granted. */
  readonly granted: number;
  readonly expiresAt: Date;
}

/** The windows of a service's limiter. MongoDB deletes them after they have ended. */
export const rateWindowCollection = defineCollection<RateWindowDocument>({
  name: 'rate_windows',
  indexes: [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
});

/** The server gives up after this time; the limiter a little later. */
const LIMIT_MS = 4_000;
/** Longer than the longest window, so that no window is deleted before it has ended on every replica's clock. */
const KEPT_MS = 2 * HOUR_MS;
const ATTEMPTS = 3;

/** Windows in the service's own database, which has `rateWindowCollection`: one atomic write per order. */
export function mongoWindowStore(store: MongoStore): WindowStore {
  const windows = store.collection(rateWindowCollection);

  const fillOrder = async (window: Window, order: Order): Promise<Grant> => {
    const document = await windows.findOneAndUpdate({ _id: idOf(window) }, pipelineOf(window, order), {
      upsert: true,
      returnDocument: 'after',
      maxTimeMS: LIMIT_MS,
    });
    if (document === null) throw new Error('A rate window was not counted.');
    return { granted: document.granted, used: document.used };
  };
  return {
    async fillOrder(window, order) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await fillOrder(window, order);
        } catch (error) {
          // Another replica created the window at the same time; nothing was written, and now it exists.
          if (!isDuplicateKey(error) || attempt === ATTEMPTS) throw error;
        }
      }
    },
    async giveBack(returns) {
      if (returns.length === 0) return;
      await windows.bulkWrite(
        returns.map(({ window, amount }) => ({
          updateOne: {
            filter: { _id: idOf(window), used: { $gte: amount } },
            update: { $inc: { used: -amount } },
          },
        })),
        { ordered: false },
      );
    },
  };
}

/** Selects all windows of a key, which must not contain a slash. */
export function windowsOfKey(key: string): { readonly _id: { readonly $gte: string; readonly $lt: string } } {
  // "0" is the character after "/".
  return { _id: { $gte: `${key}/`, $lt: `${key}0` } };
}

function idOf({ key, name, startsAt }: Window): string {
  return `${key}/${name}/${new Date(startsAt).toISOString()}`;
}

/** `grantOf` as the server computes it: the store's suite compares the two. */
function pipelineOf({ startsAt }: Window, { limit, returned, demand, extra }: Order): Document[] {
  const left = { $subtract: [limit, '$used'] };
  const waitedFor = { $max: [0, { $min: [left, demand] }] };
  const share = { $floor: { $divide: [{ $subtract: [left, waitedFor] }, TAIL_SHARE] } };
  return [
    {
      $set: {
        used: { $subtract: [{ $ifNull: ['$used', 0] }, returned] },
        expiresAt: new Date(startsAt + KEPT_MS),
      },
    },
    { $set: { granted: { $add: [waitedFor, { $max: [0, { $min: [extra, share] }] }] } } },
    { $set: { used: { $add: ['$used', '$granted'] } } },
  ];
}
