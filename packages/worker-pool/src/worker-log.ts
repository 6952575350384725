import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { PoolCall } from './pool-call.ts';
import { forwardLogLine } from './worker-report.ts';

/** Maximum lines per tick; a worker that logs more is out of control. */
const LINES_PER_TICK = 50;
/**
 * Ticks for which the secrets of ended calls are still masked, because a line may concern such a call; only the last
 * calls are kept.
 */
const LATE_LINE_TICKS = 100;
const MAX_LATE_CALLS = 100;

/** The log lines of one worker, with the secrets of its calls masked. */
export class WorkerLog {
  readonly #log: Logger;
  #lines = 0;
  /** The maskers of the last ended calls, with the ticks since their end. */
  #ended: { readonly mask: PoolCall['mask']; ticks: number }[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Whether the worker may log one more line before the next tick. */
  mayLog(): boolean {
    return this.#lines < LINES_PER_TICK;
  }

  /** Writes a line to the service's log; masks the secrets of the given calls and of the last ended ones. */
  forward(body: Buffer, calls: readonly PoolCall[]): void {
    this.#lines += 1;
    forwardLogLine(this.#log, body, (text) => {
      let masked = text;
      for (const call of [...calls, ...this.#ended]) masked = call.mask(masked);
      return masked;
    });
  }

  /** Keeps the masker of an ended call, because the worker may still log about it. */
  addEnded(call: PoolCall): void {
    this.#ended.push({ mask: (text) => call.mask(text), ticks: 0 });
    if (this.#ended.length > MAX_LATE_CALLS) this.#ended.shift();
  }

  /** Called on each tick of the pool. */
  tick(): void {
    this.#lines = 0;
    for (const ended of this.#ended) ended.ticks += 1;
    this.#ended = this.#ended.filter(({ ticks }) => ticks <= LATE_LINE_TICKS);
  }
}
