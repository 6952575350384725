/** The reason why a worker ended before it had answered its calls. */
export type LossReason =
  /** The process exited by itself, or was killed from outside. */
  | 'died'
  /** An uncaught error, such as one thrown in a socket's listener. */
  | 'uncaught'
  /** The worker exceeded its memory limit. */
  | 'memory'
  /** The worker's job exceeded its processor time. */
  | 'cpu'
  /** The worker's event loop was blocked, or the process was stopped. */
  | 'unresponsive'
  /** The worker violated the protocol. */
  | 'protocol'
  /** The worker did not become ready in time. */
  | 'start'
  /** The pool was closed. */
  | 'closed';

const LOSSES: Readonly<Record<LossReason, string>> = {
  died: 'The process that made the call ended',
  uncaught: 'The process that made the call failed',
  memory: 'The call needed more memory than it may use',
  cpu: 'The call used the processor for longer than it may',
  unresponsive: 'The call did not end when its time was over, or used the processor for too long',
  protocol: 'The process that made the call sent an invalid answer',
  start: 'The process that makes the call did not start',
  closed: 'The service is stopping',
};

/** A call got no answer, because its worker ended or was killed. The message is for people and contains no data of the call. */
export class WorkerLostError extends Error {
  override readonly name = 'WorkerLostError';
  readonly reason: LossReason;
  /** Whether the job was sent to the worker, so its outcome is unknown; otherwise nothing was executed. */
  readonly wasStarted: boolean;

  constructor(reason: LossReason, wasStarted: boolean) {
    super(`${LOSSES[reason]}. ${wasStarted ? 'Its outcome is not known.' : 'Nothing was executed.'}`);
    this.reason = reason;
    this.wasStarted = wasStarted;
  }
}

/** The reason why a call was refused. */
export type RefusalReason =
  /** No worker had room in time, or the caller cancelled before one had. */
  | 'busy'
  /** The account has the maximum number of waiting calls. */
  | 'queueFull'
  /** The account's calls ended too many workers within the last minute. */
  | 'quarantined'
  /** The job is too large. */
  | 'tooLarge'
  /** The pool was closed. */
  | 'closed';

const REFUSALS: Readonly<Record<RefusalReason, string>> = {
  busy: 'Other calls did not end in time',
  queueFull: 'Too many calls are waiting',
  quarantined: 'Too many calls of this account failed unexpectedly in the last minute. Try again later',
  tooLarge: 'The inputs of the call are too large',
  closed: 'The service is stopping',
};

/** A call was refused before anything was executed. */
export class PoolRefusalError extends Error {
  override readonly name = 'PoolRefusalError';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason) {
    super(`${REFUSALS[reason]}. Nothing was executed.`);
    this.reason = reason;
  }
}

/** A job threw an unexpected error. Message and stack are the worker's, for the log only. */
export class JobDefectError extends Error {
  override readonly name = 'JobDefectError';
}

/**
 * The reason for the exit of a worker that the pool did not kill. V8 aborts if its heap is full or the system gives
 * no memory.
 */
export function exitReason(signal: NodeJS.Signals | null, wasReady: boolean): LossReason {
  if (signal === 'SIGABRT' || signal === 'SIGTRAP') return 'memory';
  return wasReady ? 'died' : 'start';
}
