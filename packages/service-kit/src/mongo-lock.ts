import { setTimeout as delay } from 'node:timers/promises';
import { MongoServerError } from 'mongodb';
import type { Collection, Db } from 'mongodb';
import { guid } from './ids.ts';
import type { Logger } from './logger.ts';

interface LockDocument {
  readonly _id: string;
  readonly owner: string;
  readonly expiresAt: Date;
}

const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
const RETRY_MS = 200;
const PATIENCE_MS = 10 * 60_000;
const DUPLICATE_KEY = 11_000;
const LEASE_END = { $add: ['$$NOW', LEASE_MS] };

/**
 * Runs `work` while no other process runs any under the same name. A holder that dies frees the lock within 30 s; one
 * that works longer renews it. Times are the database's, so that clocks of machines do not matter.
 */
export async function withDatabaseLock<R>(
  db: Db,
  name: string,
  log: Logger,
  work: () => Promise<R>,
): Promise<R> {
  const locks = db.collection<LockDocument>('_locks');
  const owner = guid();
  await acquire(locks, name, owner, log);
  const renewal = setInterval(() => {
    locks
      .updateOne({ _id: name, owner }, [{ $set: { expiresAt: LEASE_END } }])
      .catch((error: unknown) => log.warn({ err: error, lock: name }, 'could not renew a lock'));
  }, RENEW_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await locks.deleteOne({ _id: name, owner });
  }
}

async function acquire(
  locks: Collection<LockDocument>,
  name: string,
  owner: string,
  log: Logger,
): Promise<void> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (let waited = false; ; waited = true) {
    if (await tryAcquire(locks, name, owner)) return;
    if (Date.now() > giveUpAt) throw new Error(`The database lock "${name}" was not free for 10 minutes.`);
    if (!waited) log.info({ lock: name }, 'waiting for a lock that another process holds');
    await delay(RETRY_MS);
  }
}

async function tryAcquire(locks: Collection<LockDocument>, name: string, owner: string): Promise<boolean> {
  // A lock that does not exist has no expiry, which sorts before every time.
  const isFree = { $lt: ['$expiresAt', '$$NOW'] };
  try {
    const lock = await locks.findOneAndUpdate(
      { _id: name },
      [
        {
          $set: {
            owner: { $cond: [isFree, owner, '$owner'] },
            expiresAt: { $cond: [isFree, LEASE_END, '$expiresAt'] },
          },
        },
      ],
      { upsert: true, returnDocument: 'after' },
    );
    return lock?.owner === owner;
  } catch (error) {
    // Two processes made the lock at the same time.
    if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) return false;
    throw error;
  }
}
