import { setTimeout as delay, setImmediate as turnEnd } from 'node:timers/promises';
import { LinkedList } from '../collections/linked-list.ts';

/** A set of open things: unfinished responses, or open connections. */
export class OpenSet<T extends NodeJS.EventEmitter> {
  readonly all = new LinkedList<T>();
  #added = 0;
  #none = Promise.withResolvers<void>();

  add(one: T): void {
    const entry = this.all.add(one);
    this.#added += 1;
    one.once('close', () => {
      this.all.remove(entry);
      if (this.all.size === 0) this.#none.resolve();
    });
  }

  /** Resolves when the set is empty. */
  none(): Promise<void> {
    this.#none = Promise.withResolvers();
    if (this.all.size === 0) this.#none.resolve();
    return this.#none.promise;
  }

  /** Resolves when the set has been empty for `quietMs`, after `ms` at the latest. */
  async quiet(quietMs: number, ms: number): Promise<void> {
    const end = performance.now() + ms;
    while (await endsWithin(this.none(), end - performance.now())) {
      const added = this.#added;
      await delay(Math.min(quietMs, Math.max(end - performance.now(), 0)));
      if (this.#added === added) return;
    }
  }
}

/** Whether `end` resolves within `ms`; resolves after `ms` at the latest. */
export async function endsWithin(end: Promise<void>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  try {
    return await Promise.race([
      end.then(() => true),
      delay(Math.max(ms, 0), false, { signal: timer.signal }),
    ]);
  } finally {
    timer.abort();
  }
}

/** Resolves when this process has accepted all connections, and read all data, that had arrived before. */
export async function waitUntilReceived(): Promise<void> {
  await turnEnd();
  // The first immediate may belong to the turn of this call, before the next poll for events.
  await turnEnd();
}
