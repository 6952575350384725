import { setTimeout as delay } from 'node:timers/promises';

/** The responses that are not finished yet, or the connections that are not closed yet. */
export class Open<T extends NodeJS.EventEmitter> {
  readonly all = new Set<T>();
  #none = Promise.withResolvers<void>();

  add(one: T): void {
    this.all.add(one);
    one.once('close', () => {
      this.all.delete(one);
      if (this.all.size === 0) this.#none.resolve();
    });
  }

  /** Resolves once there are none. */
  none(): Promise<void> {
    this.#none = Promise.withResolvers();
    if (this.all.size === 0) this.#none.resolve();
    return this.#none.promise;
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
