/** Why a worker ended before it had answered its calls. */
export type LossReason =
  /** It ended itself or was killed from outside. */
  | 'died'
  /** An error that nothing caught, such as one thrown in a listener of a socket. */
  | 'uncaught'
  /** It passed its limit of memory. */
  | 'memory'
  /** Its job used more processor time than it may. */
  | 'cpu'
  /** Its event loop was blocked or it was stopped. */
  | 'unresponsive'
  /** It sent what a worker may not send. */
  | 'protocol'
  /** It did not become ready. */
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

/** A call has no answer, because its worker ended or was ended. The message is for people and holds no data of the call. */
export class WorkerLostError extends Error {
  override readonly name = 'WorkerLostError';
  readonly reason: LossReason;
  /** Whether the job was handed over, so that nobody knows how far it came; otherwise nothing was executed. */
  readonly wasStarted: boolean;

  constructor(reason: LossReason, wasStarted: boolean) {
    super(`${LOSSES[reason]}. ${wasStarted ? 'Its outcome is not known.' : 'Nothing was executed.'}`);
    this.reason = reason;
    this.wasStarted = wasStarted;
  }
}

/** Why a call was not given to a worker. */
export type RefusalReason =
  /** No worker had room for it in time, or its caller cancelled it before one had. */
  | 'busy'
  /** As many calls of the account wait as may wait. */
  | 'queueFull'
  /** Calls of the account ended too many workers in the last minute. */
  | 'quarantined'
  /** The job is larger than a job may be. */
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

/** A job threw an error that its handler did not expect. Message and stack are the worker's: for the log only. */
export class JobDefectError extends Error {
  override readonly name = 'JobDefectError';
}

/** How a worker that nobody killed ended. V8 aborts when its heap is full or the system gives no memory. */
export function exitReason(signal: NodeJS.Signals | null, wasReady: boolean): LossReason {
  if (signal === 'SIGABRT' || signal === 'SIGTRAP') return 'memory';
  return wasReady ? 'died' : 'start';
}
