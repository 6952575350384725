import { ApiError } from '@fairlead/errors/api-error';
import type { Slots } from '../ports/slots.ts';

interface Lane {
  running: number;
  readonly waiting: (() => void)[];
}

/**
 * Limits how many calls with one key run at once in this process, so that a connection whose vendor is slow cannot take
 * the sockets and memory of the others. Calls above the limit wait in order.
 */
export class ConnectionSlots implements Slots {
  readonly #limit: number;
  readonly #lanes = new Map<string, Lane>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<R>(key: string, signal: AbortSignal, work: () => Promise<R>): Promise<R> {
    await this.#acquire(key, signal);
    try {
      return await work();
    } finally {
      this.#release(key);
    }
  }

  async #acquire(key: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted)
      throw new ApiError('TIMEOUT', 'The deadline of this call has passed. Nothing was executed.');
    let lane = this.#lanes.get(key);
    if (!lane) this.#lanes.set(key, (lane = { running: 0, waiting: [] }));
    if (lane.running < this.#limit) {
      lane.running += 1;
      return;
    }
    const { waiting } = lane;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      const place = waiting.indexOf(resolve);
      // No longer in the queue: it already owns the slot, and the call itself will see the signal.
      if (place === -1) return;
      waiting.splice(place, 1);
      reject(
        new ApiError(
          'TIMEOUT',
          'The connection is busy: its other calls did not finish in time. Nothing was executed.',
        ),
      );
    };
    waiting.push(resolve);
    signal.addEventListener('abort', leave, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #release(key: string): void {
    const lane = this.#lanes.get(key);
    if (!lane) return;
    const next = lane.waiting.shift();
    // The slot passes directly to the next call without being free in between, so that no call can overtake.
    if (next) next();
    else if (--lane.running === 0) this.#lanes.delete(key);
  }
}
