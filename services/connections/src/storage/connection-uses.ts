import type { Clock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';
import { connectionCollection } from './connection.collection.ts';
import type { ConnectionDocument } from './connection.collection.ts';

/** Records when connections were last used, and writes it in the background. */
export interface ConnectionUses {
  /** Records a use at the current time. Does not wait. */
  note(document: Pick<ConnectionDocument, '_id' | 'accountId' | 'lastUsedAt'>): void;
  /** Writes the recorded uses; resolves once no write is in progress. For shutdown. */
  drain(): Promise<void>;
}

const WRITE_AFTER_MS = 5_000;
/** Together with WRITE_AFTER_MS less than a minute, the promised accuracy. */
const PAUSE_MS = 50_000;
/** Maximum number of connections recorded between two writes. */
const MAX_NOTED = 10_000;
const WRITE_TIMEOUT_MS = 10_000;

/**
 * Writes only `lastUsedAt`, on which no counter or list depends: five seconds after a use, and not if the connection was used within the
 * last 50 s. Uses beyond the maximum, and uses whose write failed, are dropped; the next use counts.
 */
export function createConnectionUses(o: {
  readonly store: MongoStore;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}): ConnectionUses {
  const connections = o.store.collection(connectionCollection);
  let noted = new Map<number, { readonly accountId: string; readonly usedAt: Date }>();
  let timer: { cancel(): void } | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write(uses: typeof noted): Promise<void> {
    const writes = [...uses].map(([_id, { accountId, usedAt }]) => {
      // Another replica may have written a later use.
      const isKnown = { $gt: new Date(usedAt.getTime() - PAUSE_MS) };
      const filter = { accountId, _id, lastUsedAt: { $not: isKnown } };
      return { updateOne: { filter, update: { $set: { lastUsedAt: usedAt } } } };
    });
    try {
      await connections.bulkWrite(writes, { ordered: false, maxTimeMS: WRITE_TIMEOUT_MS });
    } catch (error) {
      o.log.warn({ err: error, uses: uses.size }, 'could not record when connections were used');
    }
  }

  function writeNoted(): void {
    timer?.cancel();
    timer = undefined;
    const uses = noted;
    if (uses.size === 0) return;
    noted = new Map();
    // Writes one batch at a time.
    writing = writing.then(() => write(uses));
  }

  return {
    note({ _id, accountId, lastUsedAt }) {
      const usedAt = o.clock.now();
      if (lastUsedAt !== undefined && lastUsedAt.getTime() > usedAt.getTime() - PAUSE_MS) return;
      if (noted.size >= MAX_NOTED && !noted.has(_id)) return;
      noted.set(_id, { accountId, usedAt });
      timer ??= o.timers.after(WRITE_AFTER_MS, writeNoted);
    },
    async drain() {
      writeNoted();
      await writing;
    },
  };
}
