import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';

/** Hardly anything, so that the next report of the tool itself is higher. */
const MIN_STEP = 1e-6;
const RELATIVE_STEP = 1e-9;

/** The progress of one request, which only rises. */
export class Progress {
  /** The value of the last report; undefined: there was none. */
  #last: number | undefined;
  /** The last report of the tool itself. */
  #reported: LazyObject = {};

  /** Whether a report of the tool is higher than all reports before. */
  accept(report: LazyObject): boolean {
    const { progress } = report;
    const value = progress instanceof LazyJson ? progress.parse() : progress;
    if (typeof value !== 'number' || (this.#last !== undefined && value <= this.#last)) return false;
    this.#last = value;
    this.#reported = report;
    return true;
  }

  /** The report for a tool that makes none: the last one is repeated, a little higher. `ranMs` is how long the request has been running. */
  repeat(ranMs: number): LazyObject {
    const last = this.#last ?? 0;
    const progress = last + Math.max(MIN_STEP, Math.abs(last) * RELATIVE_STEP);
    this.#last = progress;
    return { message: `Running for ${Math.round(ranMs / 1_000)} s.`, ...this.#reported, progress };
  }
}
