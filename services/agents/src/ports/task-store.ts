import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { OpenedTask, Task, TaskEnd, TaskState } from '../domain/task.ts';

/** A new task. */
export type NewTask = Pick<
  OpenedTask,
  'id' | 'agentKey' | 'kind' | 'hasEffects' | 'createdAt' | 'deadline' | 'waiter' | 'input'
>;

/** Tasks in one state, and the age of the oldest. */
export interface OpenCount {
  readonly state: TaskState;
  readonly count: number;
  readonly oldestMs: number;
}

/** The tasks of all agents. Every method that takes an account is confined to it. */
export interface TaskStore {
  /**
   * Queues a task, or stores a call that a process has taken at once. `full`: the agent or the account has as many as it may. `joinable`: the
   * agent has logs to send already, of which nothing has arrived. `occupied`: the slot has another call.
   */
  insert(
    ctx: RequestContext,
    accountId: string,
    task: NewTask,
    by?: { readonly instance: string; readonly slot: number },
  ): Promise<'queued' | 'full' | 'joinable' | 'occupied'>;
  /** The task that collects logs of which nothing has arrived; undefined: there is none. */
  findJoinable(
    ctx: RequestContext,
    accountId: string,
    agentKey: string,
  ): Promise<Pick<Task, 'id' | 'waiter' | 'deadline'> | undefined>;
  /** Notes that logs arrive, and until when the next part has to; false: the task has ended, or another process has it. */
  receiveLogs(
    ctx: RequestContext,
    accountId: string,
    id: string,
    o: { readonly instance: string; readonly deadline: Date },
  ): Promise<boolean>;
  /** The tasks of an agent that have not ended. */
  listOpen(ctx: RequestContext, accountId: string, agentKey: string): Promise<readonly Task[]>;
  /**
   * Gives the oldest queued task to a process: a call with this `slot`, or with null a task of another kind, which needs none. Undefined:
   * there is none, or the slot is occupied. A task whose input cannot be read ends.
   */
  take(
    ctx: RequestContext,
    accountId: string,
    agentKey: string,
    o: { readonly instance: string; readonly slot: number | null; readonly now: Date },
  ): Promise<OpenedTask | undefined>;
  /** The task with its input, if this process has taken and not started it. */
  findTaken(
    ctx: RequestContext,
    accountId: string,
    id: string,
    instance: string,
  ): Promise<OpenedTask | undefined>;
  /** A task of an agent, whether or not it has ended. */
  find(ctx: RequestContext, accountId: string, agentKey: string, id: string): Promise<Task | undefined>;
  /** Lets the process begin a task that it has taken; false: it has ended, or is late. The same process may call it again. */
  start(
    ctx: RequestContext,
    accountId: string,
    id: string,
    o: { readonly instance: string; readonly now: Date },
  ): Promise<boolean>;
  /** Ends a task by the result of the process that has it; false: it has ended, was not started, or another process has it. */
  complete(
    ctx: RequestContext,
    accountId: string,
    id: string,
    o: { readonly instance: string; readonly now: Date },
  ): Promise<boolean>;
  /** Has another process wait for a task (replicaName); false: it has ended. */
  takeOver(ctx: RequestContext, accountId: string, id: string, waiter: string): Promise<boolean>;
  /** Ends a task without a result, and returns it as it was before; undefined: it had ended. */
  cancel(ctx: RequestContext, accountId: string, id: string, now: Date): Promise<Task | undefined>;
  /** Puts a task back that its process must not get. */
  release(ctx: RequestContext, accountId: string, id: string, instance: string): Promise<void>;
  /**
   * Takes the tasks of all processes of an agent but `instance` from them: started ones end, all others are queued again.
   */
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
  /** The tasks among these, of any account, that ended without a result. */
  findEnded(ids: readonly string[]): Promise<readonly Task[]>;
  /** Ends tasks of all accounts whose deadline was before `before`: nobody waits for them any more. */
  endAbandoned(before: Date, now: Date): Promise<number>;
  /** Counts the tasks of all accounts that have not ended, by state. */
  countOpen(now: Date): Promise<readonly OpenCount[]>;
}
