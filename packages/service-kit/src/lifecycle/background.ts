import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../telemetry/logger.ts';

/** Periodic work in the background. */
export interface BackgroundWork {
  /** Stops: aborts the current run through its signal and waits for it. */
  close(): Promise<void>;
}

/** Periodic work that can also be started early. */
export interface RepeatedWork extends BackgroundWork {
  /** Begins the next run at once, or when the current one ends. */
  wake(): void;
}

/**
 * Runs `work` at once and then `everyMs` after each end, one run at a time. A failed run is repeated at the next
 * interval; of consecutive failures, only the first is logged.
 */
export function repeatInBackground(o: {
  /** For the log. */
  readonly name: string;
  readonly everyMs: number;
  readonly log: Logger;
  readonly work: (signal: AbortSignal) => Promise<void>;
}): RepeatedWork {
  const stop = new AbortController();
  let pause = new AbortController();
  let isFailing = false;

  async function run(): Promise<void> {
    try {
      await o.work(stop.signal);
      if (isFailing) o.log.info({ work: o.name }, 'background work succeeds again');
      isFailing = false;
    } catch (error) {
      if (stop.signal.aborted) return;
      if (!isFailing)
        o.log.warn({ err: error, work: o.name }, 'background work failed and will be tried again');
      isFailing = true;
    }
  }

  async function loop(): Promise<void> {
    while (!stop.signal.aborted) {
      pause = new AbortController();
      await run();
      // A pause does not keep the process alive.
      await delay(o.everyMs, undefined, { signal: pause.signal, ref: false }).catch(() => undefined);
    }
  }

  const ended = loop();
  return {
    wake: () => pause.abort(),
    async close() {
      stop.abort();
      pause.abort();
      await ended;
    },
  };
}
