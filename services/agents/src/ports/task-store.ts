import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { TaskWithInput, Task, TaskEnd, TaskState } from '../domain/task.ts';

export type NewTask = Pick<
  TaskWithInput,
  'id' | 'agentKey' | 'kind' | 'hasEffects' | 'createdAt' | 'deadline' | 'waiter' | 'input'
>;

/** Number of tasks in one state, and age of the oldest. */
export interface OpenCount {
  readonly state: TaskState;
  readonly count: number;
  readonly oldestMs: number;
}

/** Stores the tasks of all agents. Every method with an account is limited to it. */
export interface TaskStore {
  /**
   * Queues a task, or stores a call that a process has already taken. `full`: the agent or the account has the maximum number of open
   * tasks. `joinable`: the agent already has a logs task of which nothing has arrived. `occupied`: the slot has another call.
   */
  insert(
    ctx: RequestContext,
    accountId: string,
    task: NewTask,
    by?: { readonly instance: string; readonly slot: number },
  ): Promise<'queued' | 'full' | 'joinable' | 'occupied'>;
  /** The agent's logs task of which nothing has arrived yet; undefined: there is none. */
  findJoinable(
    ctx: RequestContext,
    accountId: string,
    agentKey: string,
  ): Promise<Pick<Task, 'id' | 'waiter' | 'deadline'> | undefined>;
  /** Records that logs have arrived, and the deadline of the next part; false: the task has ended, or another process has it. */
  receiveLogs(
    ctx: RequestContext,
    accountId: string,
    id: string,
    o: { readonly instance: string; readonly deadline: Date },
  ): Promise<boolean>;
  listOpen(ctx: RequestContext, accountId: string, agentKey: string): Promise<readonly Task[]>;
  /**
   * Gives the oldest queued task to a process: a call, which occupies this `slot`; with a null slot, a task of another kind. Undefined:
   * there is none, or the slot is occupied. A task whose input cannot be unsealed ends.
   */
  take(
    ctx: RequestContext,
    accountId: string,
    agentKey: string,
    o: { readonly instance: string; readonly slot: number | null; readonly now: Date },
  ): Promise<TaskWithInput | undefined>;
  /** The task with its input, if this process has taken but not started it. */
  findUnstarted(
    ctx: RequestContext,
    accountId: string,
    id: string,
    instance: string,
  ): Promise<TaskWithInput | undefined>;
  /** A task of an agent, open or ended. */
  find(ctx: RequestContext, accountId: string, agentKey: string, id: string): Promise<Task | undefined>;
  /** Marks a task that the process has taken as started; false: it has ended, or is late. The same process may repeat this. */
  start(
    ctx: RequestContext,
    accountId: string,
    id: string,
    o: { readonly instance: string; readonly now: Date },
  ): Promise<boolean>;
  /** Ends a task with the result of its process; false: it has ended, was not started, or another process has it. */
  complete(
    ctx: RequestContext,
    accountId: string,
    id: string,
    o: { readonly instance: string; readonly now: Date },
  ): Promise<boolean>;
  /** Makes another replica (replicaName) the one whose caller waits for the task; false: the task has ended. */
  takeOver(ctx: RequestContext, accountId: string, id: string, waiter: string): Promise<boolean>;
  /** Ends a task without a result, and returns its former state; undefined: it had already ended. */
  cancel(ctx: RequestContext, accountId: string, id: string, now: Date): Promise<Task | undefined>;
  /** Queues a task again that its process must not get. */
  release(ctx: RequestContext, accountId: string, id: string, instance: string): Promise<void>;
  /** Takes an agent's tasks from all its processes but `instance`: started ones end, all others are queued again. */
  takeFromOthers(
    ctx: RequestContext,
    accountId: string,
    agentKey: string,
    o: { readonly instance: string | null; readonly now: Date },
  ): Promise<void>;
  /** Ends all tasks of an agent. */
  endAll(
    ctx: RequestContext,
    accountId: string,
    agentKey: string,
    o: { readonly end: TaskEnd; readonly now: Date },
  ): Promise<void>;
  /** Returns which of the given tasks, of any account, ended without a result. */
  findEnded(ids: readonly string[]): Promise<readonly Task[]>;
  /** Ends tasks of all accounts whose deadline was before `before`: nobody waits for them any more. */
  endAbandoned(before: Date, now: Date): Promise<number>;
  /** Counts the open tasks of all accounts, by state. */
  countOpen(now: Date): Promise<readonly OpenCount[]>;
}
