import { quantile } from './statistics.ts';

/** Results of several callers, each making calls sequentially. */
export interface LoopResult {
  readonly calls: number;
  readonly failures: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Runs the callers for `durationMs`; a call that throws only counts as a failure. */
export async function closedLoop(
  callers: readonly (() => Promise<unknown>)[],
  durationMs: number,
): Promise<LoopResult> {
  const latencies: number[] = [];
  let failures = 0;
  const startedAt = performance.now();
  const end = startedAt + durationMs;
  const run = async (call: () => Promise<unknown>): Promise<void> => {
    for (let now = performance.now(); now < end;) {
      try {
        await call();
        latencies.push(performance.now() - now);
      } catch {
        failures += 1;
      }
      now = performance.now();
    }
  };
  await Promise.all(callers.map(run));
  return {
    calls: latencies.length,
    failures,
    perSecond: latencies.length / ((performance.now() - startedAt) / 1_000),
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
}
