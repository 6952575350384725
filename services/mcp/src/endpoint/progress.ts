import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';

/** Tiny, so that the tool's own next report is higher. */
const MIN_STEP = 1e-6;
const RELATIVE_STEP = 1e-9;

/** Progress of one request; it only increases. */
export class Progress {
  /** The value of the last sent report; undefined: none. */
  #last: number | undefined;
  /** The tool's own last report. */
  #reported: LazyObject = {};

  /** Whether a tool's report is higher than all reports before. */
  accept(report: LazyObject): boolean {
    const { progress } = report;
    const value = progress instanceof LazyJson ? progress.parse() : progress;
    if (typeof value !== 'number' || (this.#last !== undefined && value <= this.#last)) return false;
    this.#last = value;
    this.#reported = report;
    return true;
  }

  /** The report for a silent tool: the last one again, slightly increased. `ranMs` is the duration of the request so far. */
  repeat(ranMs: number): LazyObject {
    const last = this.#last ?? 0;
    const progress = last + Math.max(MIN_STEP, Math.abs(last) * RELATIVE_STEP);
    this.#last = progress;
    return { message: `Running for ${Math.round(ranMs / 1_000)} s.`, ...this.#reported, progress };
  }
}
