import type { Clock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { KeyUseStore } from './ports/credential-lookup.ts';

/** Records when keys were last used. */
export interface KeyUses {
  /** Records a use; never waits and never fails. */
  note(keyId: string, at: Date): void;
  /** Writes the unwritten uses and stops. */
  close(): Promise<void>;
}

/** How long uses are collected before they are written together. */
const GATHER_MS = 1_000;
/** Shortest time between two writes of one key. */
const PERIOD_MS = 60_000;
/** Delay before a failed write is retried. */
const RETRY_MS = 10_000;
/** Most keys in one write. While this many are unwritten, uses of further keys are dropped. */
const MAX_WAITING = 10_000;

/**
 * Records uses of keys outside of requests: the first use of a key within about a second, then once per minute. Uses that could not be
 * written are kept and retried. If the process dies, unwritten uses are lost: at most a minute of them.
 */
export function createKeyUses(o: {
  readonly store: KeyUseStore;
  readonly clock: Clock;
  readonly log: Logger;
}): KeyUses {
  const waiting = new Map<string, Date>();
  /** Time of the last write of each key written within PERIOD_MS. */
  const written = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const takeDue = (): Map<string, Date> => {
    const now = o.clock.now().getTime();
    for (const [keyId, at] of written) if (now - at >= PERIOD_MS) written.delete(keyId);
    const due = new Map([...waiting].filter(([keyId]) => !written.has(keyId)));
    for (const keyId of due.keys()) {
      waiting.delete(keyId);
      written.set(keyId, now);
    }
    return due;
  };
  const write = async (due: ReadonlyMap<string, Date>): Promise<boolean> => {
    if (due.size === 0) return true;
    try {
      await o.store.recordUses(due);
      return true;
    } catch (error) {
      for (const [keyId, at] of due) {
        written.delete(keyId);
        // A larger batch than one write takes would never be written.
        if (!waiting.has(keyId) && waiting.size < MAX_WAITING) waiting.set(keyId, at);
      }
      o.log.warn({ err: error, keys: due.size }, 'could not record uses of API keys');
      return false;
    }
  };
  const writeDue = async (): Promise<void> => {
    const isWritten = await write(takeDue());
    if (waiting.size > 0) schedule(isWritten ? GATHER_MS : RETRY_MS);
  };
  const schedule = (delayMs: number): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      writing = writeDue();
    }, delayMs).unref();
  };

  return {
    note(keyId, at) {
      if (waiting.size >= MAX_WAITING && !waiting.has(keyId)) return;
      waiting.set(keyId, at);
      schedule(GATHER_MS);
    },
    async close() {
      clearTimeout(timer);
      await writing;
      clearTimeout(timer);
      await write(waiting);
    },
  };
}
