import { onTestFinished } from 'vitest';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import type { PoolLimits } from '../limits.ts';
import { createWorkerPool } from '../worker-pool.ts';
import type { WorkerPool } from '../worker-pool.ts';
import type { CallGroup } from '../call-group.ts';

/** A pool of test workers, closed after its test. */
export interface TestPool {
  readonly pool: WorkerPool;
  /** Runs a job of testing/worker.ts. */
  readonly run: (
    account: string,
    name: string,
    o?: {
      value?: unknown;
      timeoutMs?: number;
      cpuMs?: number;
      excessCounts?: boolean;
      signal?: AbortSignal;
      group?: CallGroup;
    },
  ) => Promise<unknown>;
  readonly log: ReturnType<typeof captureLog>;
  /** Processor time of the accounts' workers, as reported to the pool. */
  readonly cpuMsOf: (account: string) => number;
}

/** A time long enough that no time limit ends a test's calls. */
const LONG_MS = 60_000;

/** Creates a pool with these limits. Other limits have their defaults, except times, which are long. */
export function startTestPool(
  limits: Partial<PoolLimits> = {},
  entry = new URL('worker.ts', import.meta.url),
  ownerOf?: (account: string) => string,
): TestPool {
  const log = captureLog();
  const cpuMs = new Map<string, number>();
  const pool = createWorkerPool({
    name: 'tests',
    entry,
    settings: { region: 'here' },
    log: log.log,
    onCpu: (account, ms) => void cpuMs.set(account, (cpuMs.get(account) ?? 0) + ms),
    ownerOf,
    // On a busy machine, a worker may get no CPU for long.
    limits: { unresponsiveMs: 10_000, cancelMs: 10_000, startMs: LONG_MS, idleMs: LONG_MS, ...limits },
  });
  onTestFinished(() => pool.close());
  return {
    pool,
    log,
    cpuMsOf: (account) => cpuMs.get(account) ?? 0,
    run: (
      account,
      name,
      {
        value,
        timeoutMs = LONG_MS,
        signal = new AbortController().signal,
        cpuMs,
        excessCounts = true,
        group,
      } = {},
    ) =>
      pool.run(
        account,
        { name, value },
        { signal, timeoutMs, group, excessCounts, ...(cpuMs === undefined ? {} : { cpuMs }) },
      ),
  };
}

/** Whether a process exists, even if stopped. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
