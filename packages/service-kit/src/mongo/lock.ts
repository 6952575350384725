import { setTimeout as delay } from 'node:timers/promises';
import type { Collection, Db } from 'mongodb';
import { guid } from '../ids.ts';
import type { Logger } from '../telemetry/logger.ts';
import { leases, takeLease } from './lease.ts';
import type { LeaseDocument } from './lease.ts';

const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
const RETRY_MS = 200;
const PATIENCE_MS = 10 * 60_000;

/**
 * Runs `work` while no other process runs any under the same name. The lock of a holder that dies expires within 30
 * s; work that takes longer renews it. Times are the database's, so the clocks of machines do not matter.
 */
export async function withDatabaseLock<R>(
  db: Db,
  name: string,
  log: Logger,
  work: () => Promise<R>,
): Promise<R> {
  const locks = leases(db);
  const owner = guid();
  await acquire(locks, name, owner, log);
  const renewal = setInterval(() => {
    takeLease(locks, name, owner, LEASE_MS).catch((error: unknown) =>
      log.warn({ err: error, lock: name }, 'could not renew a lock'),
    );
  }, RENEW_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await locks.deleteOne({ _id: name, owner });
  }
}

async function acquire(
  locks: Collection<LeaseDocument>,
  name: string,
  owner: string,
  log: Logger,
): Promise<void> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (let waited = false; ; waited = true) {
    if (await takeLease(locks, name, owner, LEASE_MS)) return;
    if (Date.now() > giveUpAt) throw new Error(`The database lock "${name}" was not free for 10 minutes.`);
    if (!waited) log.info({ lock: name }, 'waiting for a lock that another process holds');
    await delay(RETRY_MS);
  }
}
