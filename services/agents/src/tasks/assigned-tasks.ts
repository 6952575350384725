import type { Task } from '../domain/task.ts';

/** A task that this replica has given to an agent's poll. */
export type AssignedTask = Pick<Task, 'waiter' | 'accountId'>;

/** Tasks that this replica has given to polls. They let a result find the waiting replica without a database read. */
export interface AssignedTasks {
  add(task: Task, tokenHash: string): void;
  /** Undefined: the task is unknown here, was given to another token, or was already taken out. */
  take(id: string, tokenHash: string): AssignedTask | undefined;
}

/** Limit of entries; the oldest is dropped, and its result then needs a database read. */
const MAX_TASKS = 10_000;

/** Creates it empty. */
export function createAssignedTasks(): AssignedTasks {
  const tasks = new Map<string, AssignedTask & { readonly tokenHash: string }>();
  return {
    add({ id, waiter, accountId }, tokenHash) {
      tasks.set(id, { waiter, accountId, tokenHash });
      const [oldest] = tasks.keys();
      if (tasks.size > MAX_TASKS && oldest !== undefined) tasks.delete(oldest);
    },
    take(id, tokenHash) {
      const task = tasks.get(id);
      if (task?.tokenHash !== tokenHash) return undefined;
      tasks.delete(id);
      return task;
    },
  };
}
