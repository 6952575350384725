import type { PoolCall } from './pool-call.ts';

/** Measures the processor time of a worker's only call, per tick of the pool. */
export class JobProcessorTime {
  readonly #tickMs: number;
  /** The measured call, the processor time of the process when the call started, and the ticks since then. */
  #measured: { readonly call: PoolCall; readonly fromMs: number | undefined; ticks: number } | undefined;

  constructor(tickMs: number) {
    this.#tickMs = tickMs;
  }

  /** Whether the call has exceeded its processor time. `usedMs` is the process's usage since its start; undefined: unknown. */
  isOver(call: PoolCall, usedMs: number | undefined): boolean {
    if (call.cpuMs === undefined) return false;
    if (this.#measured?.call !== call) {
      this.#measured = { call, fromMs: usedMs, ticks: 0 };
      return false;
    }
    this.#measured.ticks += 1;
    const { fromMs, ticks } = this.#measured;
    // Only Linux reports the usage; elsewhere, elapsed time counts.
    const ownMs = usedMs === undefined || fromMs === undefined ? ticks * this.#tickMs : usedMs - fromMs;
    return ownMs > call.cpuMs;
  }
}
