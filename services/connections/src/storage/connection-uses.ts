import type { Clock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';
import { connectionCollection } from './connection.collection.ts';
import type { ConnectionDocument } from './connection.collection.ts';

/** Remembers when connections were last used, and writes it in the background. */
export interface ConnectionUses {
  /** Notes that a connection is used now. Does not wait for anything. */
  note(document: Pick<ConnectionDocument, '_id' | 'accountId' | 'lastUsedAt'>): void;
  /** Writes what was noted, and resolves once nothing is being written. For a stop. */
  drain(): Promise<void>;
}

const WRITE_AFTER_MS = 5_000;
/** With the wait for a write: what is stored is never a minute behind. */
const PAUSE_MS = 50_000;
/** Connections that are noted between two writes. */
const MAX_NOTED = 10_000;
const WRITE_TIMEOUT_MS = 10_000;

/**
 * Writes `lastUsedAt` alone, which no counter and no list depends on, five seconds after a use, and for a connection that has
 * been used within 50 s before not at all. Uses beyond the most that are noted, and those that could not be written, are
 * dropped: the next one counts.
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
      // Another replica may have written a use meanwhile.
      const isKnown = { $gt: new Date(usedAt.getTime() - PAUSE_MS) };
      const filter = { accountId, _id, lastUsedAt: { $not: isKnown } };
      return { updateOne: { filter, update: { $set: { lastUsedAt: usedAt } } } };
    });
    try {
      await connections.bulkWrite(writes, { ordered: false, maxTimeMS: WRITE_TIMEOUT_MS });
    } catch (error) {
      o.log.warn({ err: error, uses: uses.size }, 'could not write when connections were used');
    }
  }

  function writeNoted(): void {
    timer?.cancel();
    timer = undefined;
    const uses = noted;
    if (uses.size === 0) return;
    noted = new Map();
    // One after the other, so that no more than one batch is written at a time.
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
