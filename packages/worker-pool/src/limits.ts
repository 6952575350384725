export interface PoolLimits {
  /** Maximum worker processes. Default: 8. */
  readonly maxWorkers: number;
  /** Maximum worker processes of one account; never more than half of `maxWorkers`, but at least one. Default: 2. */
  readonly workersPerAccount: number;
  /** Maximum simultaneous calls in a worker. Default: 16. */
  readonly callsPerWorker: number;
  /** Like `callsPerWorker`, for an account that has its maximum of workers. Default: `callsPerWorker`. */
  readonly maxCallsPerWorker?: number;
  /** Maximum waiting calls of an account. Default: 100. */
  readonly waitingPerAccount: number;
  /** Maximum bytes of waiting jobs, per account. Default: 16 MiB. */
  readonly waitingBytesPerAccount: number;
  /** Maximum waiting calls of all accounts. Default: 2 000. */
  readonly maxWaiting: number;
  /** JavaScript heap of a worker. Default: 96 MiB. */
  readonly heapMb: number;
  /** Maximum resident memory of a worker: heap, buffers and the program, 45 MiB of which are shared. Default: 256 MiB. */
  readonly memoryMb: number;
  /** Maximum size of a job, and of all unanswered jobs of one worker. Default: 8 MiB. */
  readonly jobBytes: number;
  /** Maximum size of a result. A larger one fails its call and is never buffered. Default: 1.25 MiB. */
  readonly resultBytes: number;
  /** Processor time in which a worker must become ready; the elapsed time may be six times as long. Default: 10 s. */
  readonly startMs: number;
  /**
   * Time after which a worker with calls and a blocked event loop is killed. While it waits for the processor, its
   * own processor time counts instead, up to fifteen times this duration. Default: 2 s.
   */
  readonly unresponsiveMs: number;
  /**
   * Time in which a cancelled call must end; pauses of the service do not count. While the worker waits for the
   * processor, its own processor time counts instead, up to fifteen times this duration. Default: 250 ms.
   */
  readonly cancelMs: number;
  /** Idle time after which a worker ends. Default: 10 s. */
  readonly idleMs: number;
  /** Minimum time for which an account keeps a worker that another account needs. Default: 1 s. */
  readonly sliceMs: number;
  /**
   * Number of workers that an account's calls may end within a minute; then its calls are refused. Workers that did
   * not start, or were ended from outside, do not count. Default: 5.
   */
  readonly lossesPerMinute: number;
}

/** Limits for handlers that wait for a server. A pool for evaluations sets `callsPerWorker: 1`. */
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
