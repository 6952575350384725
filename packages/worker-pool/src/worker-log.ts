import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { PoolCall } from './pool-call.ts';
import { forwardLogLine } from './worker-report.ts';

/** A worker that logs more is out of control. */
const LINES_PER_TICK = 50;
/** A line may be about a call that has ended: its secrets are masked for so many ticks, those of the last calls. */
const LATE_LINE_TICKS = 100;
const MAX_LATE_CALLS = 100;

/** The lines that one worker logs, with the secrets of its calls masked. */
export class WorkerLog {
  readonly #log: Logger;
  #lines = 0;
  /** The maskers of the calls that ended last, with the ticks since. */
  #ended: { readonly mask: PoolCall['mask']; ticks: number }[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Whether the worker may log one more line before the next tick. */
  mayLog(): boolean {
    return this.#lines < LINES_PER_TICK;
  }

  /** Writes a line to the service's log; masks the secrets of these calls, and of those that ended last. */
  forward(body: Buffer, calls: readonly PoolCall[]): void {
    this.#lines += 1;
    forwardLogLine(this.#log, body, (text) => {
      let masked = text;
      for (const call of [...calls, ...this.#ended]) masked = call.mask(masked);
      return masked;
    });
  }

  /** Takes a call that has ended, about which the worker may still log. */
  addEnded(call: PoolCall): void {
    this.#ended.push({ mask: (text) => call.mask(text), ticks: 0 });
    if (this.#ended.length > MAX_LATE_CALLS) this.#ended.shift();
  }

  /** Time passes: the pool examines its workers. */
  tick(): void {
    this.#lines = 0;
    for (const ended of this.#ended) ended.ticks += 1;
    this.#ended = this.#ended.filter(({ ticks }) => ticks <= LATE_LINE_TICKS);
  }
}
