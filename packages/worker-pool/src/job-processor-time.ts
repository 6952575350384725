import type { PoolCall } from './pool-call.ts';

/** Measures the processor time that a worker uses for its only call, by ticks of the pool. */
export class JobProcessorTime {
  readonly #tickMs: number;
  /** The call that is measured, what its process had used when that began, and the ticks since. */
  #measured: { readonly call: PoolCall; readonly fromMs: number | undefined; ticks: number } | undefined;

  constructor(tickMs: number) {
    this.#tickMs = tickMs;
  }

  /** Whether the call has used more than it may. `usedMs` is what the process has used since its start; undefined: not known. */
  isOver(call: PoolCall, usedMs: number | undefined): boolean {
    if (call.cpuMs === undefined) return false;
    if (this.#measured?.call !== call) {
      this.#measured = { call, fromMs: usedMs, ticks: 0 };
      return false;
    }
    this.#measured.ticks += 1;
    const { fromMs, ticks } = this.#measured;
    // Only Linux tells; elsewhere its time counts.
    const ownMs = usedMs === undefined || fromMs === undefined ? ticks * this.#tickMs : usedMs - fromMs;
    return ownMs > call.cpuMs;
  }
}
