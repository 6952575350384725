import type { Task } from '../domain/task.ts';

/** A task that a poll at this replica has given to an agent. */
export type GivenTask = Pick<Task, 'waiter' | 'accountId'>;

/** The tasks that polls at this replica have given to agents, so that their results find the replica that waits without a read. */
export interface GivenTasks {
  add(task: Task, tokenHash: string): void;
  /** Undefined: the task is not known here, or was given to another token, or was asked for already. */
  take(id: string, tokenHash: string): GivenTask | undefined;
}

/** The oldest is forgotten first; its result then costs a read. */
const MAX_TASKS = 10_000;

/** Creates it without a task. */
export function createGivenTasks(): GivenTasks {
  const given = new Map<string, GivenTask & { readonly tokenHash: string }>();
  return {
    add({ id, waiter, accountId }, tokenHash) {
      given.set(id, { waiter, accountId, tokenHash });
      const [oldest] = given.keys();
      if (given.size > MAX_TASKS && oldest !== undefined) given.delete(oldest);
    },
    take(id, tokenHash) {
      const task = given.get(id);
      if (task?.tokenHash !== tokenHash) return undefined;
      given.delete(id);
      return task;
    },
  };
}
