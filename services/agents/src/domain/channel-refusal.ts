/** A refusal of the agent channel with its own HTTP status: another process runs the agent, or the task has ended. */
export class ChannelRefusal extends Error {
  override readonly name = 'ChannelRefusal';
  readonly status: 409 | 410;
  readonly errorCode: 'AGENT_REPLACED' | 'TASK_ENDED';

  constructor(errorCode: ChannelRefusal['errorCode'], message: string) {
    super(message);
    this.errorCode = errorCode;
    this.status = errorCode === 'AGENT_REPLACED' ? 409 : 410;
  }
}

/** The refusal for a task that has a result, was cancelled, is late, or belongs to another process. */
export function taskEnded(): ChannelRefusal {
  return new ChannelRefusal('TASK_ENDED', 'The task is over: it has a result, was cancelled, or is late.');
}
