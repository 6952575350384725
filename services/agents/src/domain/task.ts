/** Progress of a task. `taken`: a process has it. `started`: the process may begin its effects. */
export type TaskState = 'queued' | 'taken' | 'started' | 'ended';

/** The states of tasks that have not ended. */
export const OPEN_STATES: readonly TaskState[] = ['queued', 'taken', 'started'];

export type TaskKind = 'call' | 'logs' | 'settings';

/** Why a task ended without a result from its agent. */
export type TaskEnd = 'cancelled' | 'replaced' | 'deleted' | 'abandoned' | 'unreadable';

/** A task of an agent, without its input. */
export interface Task {
  readonly id: string;
  readonly accountId: string;
  /** The creation id of the agent. */
  readonly agentKey: string;
  readonly kind: TaskKind;
  /** Whether the task may have effects outside; such a task is never run twice. */
  readonly hasEffects: boolean;
  readonly state: TaskState;
  /** The process of the agent that has taken it. */
  readonly instance: string | null;
  /** Slot of the agent that a taken call occupies. An agent has as many slots as tasks it may run at once. */
  readonly slot: number | null;
  readonly createdAt: Date;
  readonly deadline: Date;
  /** The replica whose caller waits for the result (replicaName). */
  readonly waiter: string;
  /** Null: it is still open, or has a result. */
  readonly end: TaskEnd | null;
  /** Whether it was `started` before it ended. */
  readonly wasStarted: boolean;
}

/** A task with its input for the agent, as JSON; empty: no input. */
export interface TaskWithInput extends Task {
  readonly input: string;
}

/** Maximum number of open tasks, per agent and per account. */
export const MAX_AGENT_TASKS = 200;
export const MAX_ACCOUNT_TASKS = 2_000;

/** How long an ended task is kept, so that a repeated result is recognised. */
export const KNOWN_AFTER_END_MS = 600_000;

/** The message for a call that ended without a result. `agentName` is its display name. */
export function endText(
  { end, wasStarted, state, hasEffects }: Pick<Task, 'end' | 'wasStarted' | 'state' | 'hasEffects'>,
  agentName: string,
): string {
  const agent = `The on-prem agent ${agentName}`;
  if (end === 'deleted') return `${agent} was deleted. ${consequence(hasEffects, wasStarted)}`;
  if (end === 'replaced')
    return `${agent} was stopped or replaced by another process. ${consequence(hasEffects, wasStarted)}`;
  if (end === 'unreadable')
    return 'The stored input of the call cannot be read any more, because it was changed or its key is gone. Nothing was executed.';
  if (state === 'queued')
    return `${agent} did not take the call in time. Nothing was executed: it is busy, or its connection is interrupted.`;
  return `${agent} did not answer in time. ${consequence(hasEffects, wasStarted)}`;
}

function consequence(hasEffects: boolean, wasStarted: boolean): string {
  if (!hasEffects) return 'The call changes nothing and can be repeated.';
  return wasStarted ? 'The outcome is not known.' : 'Nothing was executed.';
}
