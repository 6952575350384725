import { notFound } from '@fairlead/errors/api-error';
import type { DetachedCalls, Task, TaskState } from '../ports/detached-calls.ts';

const NOON = new Date('2026-11-29T12:00:00.000Z');

/** A task of the tool `echo`, kept for an hour. */
export function task(state: TaskState = { kind: 'working' }, o: Partial<Task> = {}): Task {
  const times = { createdAt: NOON, updatedAt: NOON, expiresAt: new Date(NOON.getTime() + 3_600_000) };
  return { taskId: 'call_1', toolName: 'echo', state, ...times, ...o };
}

/** Tasks in memory; a started call becomes one. */
export class MemoryTasks implements DetachedCalls {
  readonly tasks = new Map<string, Task>();
  readonly waits: number[] = [];
  /** Keys of the delivered answers. */
  readonly answered: string[][] = [];

  start: DetachedCalls['start'] = () => {
    const started = task();
    this.tasks.set(started.taskId, started);
    return Promise.resolve({ kind: 'task', task: started });
  };

  get: DetachedCalls['get'] = (_ctx, { taskId }, waitMs) => {
    this.waits.push(waitMs);
    const found = this.tasks.get(taskId);
    return found === undefined ? Promise.reject(notFound('Call')) : Promise.resolve(found);
  };

  answer: DetachedCalls['answer'] = async (ctx, name, results) => {
    await this.get(ctx, name, 0);
    this.answered.push([...results.keys()]);
  };

  cancel: DetachedCalls['cancel'] = async (ctx, name) => {
    const found = await this.get(ctx, name, 0);
    const isOpen = ['working', 'inputRequired'].includes(found.state.kind);
    const present: Task = isOpen ? { ...found, state: { kind: 'cancelled' } } : found;
    this.tasks.set(name.taskId, present);
    return present;
  };

  list: DetachedCalls['list'] = (_ctx, { after, limit }) => {
    const all = [...this.tasks.values()];
    const from = after === undefined ? 0 : all.findIndex(({ taskId }) => taskId === after) + 1;
    return Promise.resolve({ tasks: all.slice(from, from + limit), hasMore: all.length > from + limit });
  };
}
