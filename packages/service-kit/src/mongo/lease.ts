import type { Collection, Db } from 'mongodb';
import { guid } from '../ids.ts';
import { isDuplicateKey } from './write-errors.ts';

/** The current holder of a lease, and the expiry. */
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
 * Acquires the lease if it is free, or renews it if `owner` holds it; returns whether `owner` now holds it. Times are
 * the database's, so the clocks of machines do not matter.
 */
export async function takeLease(
  collection: Collection<LeaseDocument>,
  name: string,
  owner: string,
  leaseMs: number,
): Promise<boolean> {
  const end = { $add: ['$$NOW', leaseMs] };
  // A missing lease has no expiry, which sorts before every time.
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

/** A replica's exclusive, renewable right to do periodic work. */
export interface Lease {
  /**
   * Acquires the right, or renews it for `leaseMs` unless this replica did so within the last third of that time.
   * False: another replica holds it.
   */
  hold(): Promise<boolean>;
  /** Releases the right if this replica holds it, so that another one need not wait for the expiry. */
  release(): Promise<void>;
}

/**
 * A service's lease `name`. Work under it must be harmless if two replicas do it at once, because a holder may be
 * suspended. Tests replace `now`, the time in milliseconds.
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
