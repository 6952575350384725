/** A refusal of the agent channel that has a status of its own: another process runs the agent, or the task is over. */
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
