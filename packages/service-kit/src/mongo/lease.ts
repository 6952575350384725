import type { Collection, Db } from 'mongodb';
import { guid } from '../ids.ts';
import { isDuplicateKey } from './write-errors.ts';

/** The holder of a right that only one process has at a time, and its expiry. */
export interface LeaseDocument {
  readonly _id: string;
  readonly owner: string;
  readonly expiresAt: Date;
}

/** The leases of a database. */
export function leases(db: Db): Collection<LeaseDocument> {
  return db.collection<LeaseDocument>('_locks');
}

/**
 * Takes the lease if it is free, renews it if `owner` holds it, and returns whether `owner` holds it now. Times are the
 * database's, so that clocks of machines do not matter.
 */
export async function takeLease(
  collection: Collection<LeaseDocument>,
  name: string,
  owner: string,
  leaseMs: number,
): Promise<boolean> {
  const end = { $add: ['$$NOW', leaseMs] };
  // A lease that does not exist has no expiry, which sorts before every time.
  const mayTake = { $or: [{ $eq: ['$owner', owner] }, { $lt: ['$expiresAt', '$$NOW'] }] };
  try {
    const lease = await collection.findOneAndUpdate(
      { _id: name },
      [
        {
          $set: {
            owner: { $cond: [mayTake, owner, '$owner'] },
            expiresAt: { $cond: [mayTake, end, '$expiresAt'] },
          },
        },
      ],
      { upsert: true, returnDocument: 'after' },
    );
    return lease?.owner === owner;
  } catch (error) {
    // Two processes created the lease at the same time.
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/** The right of one replica at a time to do something repeatedly. */
export interface Lease {
  /**
   * Takes it, or renews it for another `leaseMs` unless this replica did so within the last third of that time; false: another
   * replica holds it.
   */
  hold(): Promise<boolean>;
  /** Releases it if this replica holds it, so that another one need not wait for its expiry. */
  release(): Promise<void>;
}

/**
 * The lease `name` of a service. Work under it must be harmless if two replicas do it at once, because a holder may be paused.
 * `now` replaces the time of the process, in milliseconds, in tests.
 */
export function createLease(
  store: { readonly db: Db },
  name: string,
  leaseMs: number,
  now: () => number = () => performance.now(),
): Lease {
  const collection = leases(store.db);
  const owner = guid();
  let heldUntil = Number.NEGATIVE_INFINITY;
  return {
    async hold() {
      const askedAt = now();
      if (askedAt < heldUntil) return true;
      const isHeld = await takeLease(collection, name, owner, leaseMs);
      heldUntil = isHeld ? askedAt + leaseMs / 3 : Number.NEGATIVE_INFINITY;
      return isHeld;
    },
    async release() {
      heldUntil = Number.NEGATIVE_INFINITY;
      await collection.deleteOne({ _id: name, owner });
    },
  };
}
