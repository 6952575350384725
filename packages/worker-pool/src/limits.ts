/** Limits of a pool. */
export interface PoolLimits {
  /** Worker processes at once. Default 8. */
  readonly maxWorkers: number;
  /** Worker processes of one account at once; half of `maxWorkers` at most, but always one. Default 2. */
  readonly workersPerAccount: number;
  /** Calls that one worker makes at once; 1: one after the other. Default 16. */
  readonly callsPerWorker: number;
  /** The same for an account that has all the workers that it may have. Default: the same. */
  readonly maxCallsPerWorker?: number;
  /** Calls of one account that may wait for a worker. Default 100. */
  readonly waitingPerAccount: number;
  /** Bytes of the jobs that wait, per account. Default 16 MiB. */
  readonly waitingBytesPerAccount: number;
  /** Calls of all accounts that may wait. Default 2 000. */
  readonly maxWaiting: number;
  /** JavaScript heap of a worker. Default 96 MiB. */
  readonly heapMb: number;
  /** Resident memory of a worker: heap, buffers and the program, of which 45 MiB are shared. Default 256 MiB. */
  readonly memoryMb: number;
  /** A larger job is refused. It also bounds the jobs of one worker that have no answer yet. Default 8 MiB. */
  readonly jobBytes: number;
  /** A larger result fails its call; it is never buffered. Default 1.25 MiB. */
  readonly resultBytes: number;
  /** Processor time that a worker may take to become ready, within six times as long. Default 10 s. */
  readonly startMs: number;
  /**
   * A worker with calls whose event loop is blocked for longer is killed. While it waits for the processor, its own processor time
   * counts, for fifteen times as long at most. Default 2 s.
   */
  readonly unresponsiveMs: number;
  /**
   * How long a cancelled call may take to end; a pause of the service does not count. While its worker waits for the processor, the worker's
   * own processor time counts, for fifteen times as long at most. Default 250 ms.
   */
  readonly cancelMs: number;
  /** A worker without calls ends after this time. Default 10 s. */
  readonly idleMs: number;
  /** An account whose worker another account waits for keeps it for this long at least. Default 1 s. */
  readonly sliceMs: number;
  /**
   * Workers that calls of one account may end within a minute; then its calls are refused. A worker that did not start, or
   * was ended from outside, does not count. Default 5.
   */
  readonly lossesPerMinute: number;
}

/** The limits for handlers that speak a protocol; a pool for evaluations has `callsPerWorker: 1`. */
export const DEFAULT_LIMITS: PoolLimits = {
  maxWorkers: 8,
  workersPerAccount: 2,
  callsPerWorker: 16,
  waitingPerAccount: 100,
  waitingBytesPerAccount: 16 * 1024 * 1024,
  maxWaiting: 2_000,
  heapMb: 96,
  memoryMb: 256,
  jobBytes: 8 * 1024 * 1024,
  resultBytes: 1.25 * 1024 * 1024,
  startMs: 10_000,
  unresponsiveMs: 2_000,
  cancelMs: 250,
  idleMs: 10_000,
  sliceMs: 1_000,
  lossesPerMinute: 5,
};
