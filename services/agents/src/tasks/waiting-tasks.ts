import { repeatInBackground } from '@fairlead/service-kit/lifecycle/background';
import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { MAX_AGENT_TASKS } from '../domain/task.ts';
import type { Task } from '../domain/task.ts';
import type { TaskStore } from '../ports/task-store.ts';

/** The end of a task: the bytes of its result, or the ended task without one. */
export type TaskResult = { readonly bytes: Uint8Array } | { readonly ended: Task };

/** A task that this replica waits for. */
export type WaitingTask = Pick<Task, 'id' | 'accountId' | 'agentKey' | 'kind' | 'hasEffects'>;

/** Tasks whose callers wait in this replica. */
export interface WaitingTasks extends BackgroundWork {
  /**
   * Waits for a task that is about to be queued, until `leave` is called. Undefined: this replica already waits for the maximum number of
   * the agent's tasks, or of bytes of their inputs.
   */
  wait(task: WaitingTask, bytes: number): { readonly result: Promise<TaskResult>; leave(): void } | undefined;
  find(id: string): WaitingTask | undefined;
  /** Delivers a result to its waiter. */
  resolve(id: string, bytes: Uint8Array): void;
}

/** How often to check for tasks that ended without a result. */
const LOOK_MS = 1_000;
/** Maximum bytes of the inputs of one agent's tasks whose results this replica waits for. */
const MAX_AGENT_BYTES = 64 * 1024 * 1024;

/** Waits for results; tasks that end without one in another replica are found by polling the database. */
export function createWaitingTasks(o: {
  readonly tasks: Pick<TaskStore, 'findEnded'>;
  readonly log: Logger;
}): WaitingTasks {
  const waiting = new Map<
    string,
    { readonly task: WaitingTask; readonly resolve: (result: TaskResult) => void }
  >();
  const ofAgents = new Map<string, { readonly tasks: number; readonly bytes: number }>();
  const hold = (agentKey: string, tasks: number, bytes: number): void => {
    const use = ofAgents.get(agentKey) ?? { tasks: 0, bytes: 0 };
    const now = { tasks: use.tasks + tasks, bytes: use.bytes + bytes };
    if (now.tasks === 0) ofAgents.delete(agentKey);
    else ofAgents.set(agentKey, now);
  };
  const look = repeatInBackground({
    name: 'ended tasks',
    everyMs: LOOK_MS,
    log: o.log,
    async work() {
      if (waiting.size === 0) return;
      for (const ended of await o.tasks.findEnded([...waiting.keys()]))
        waiting.get(ended.id)?.resolve({ ended });
    },
  });
  return {
    wait(task, bytes) {
      const { id, agentKey } = task;
      const use = ofAgents.get(agentKey) ?? { tasks: 0, bytes: 0 };
      if (use.tasks >= MAX_AGENT_TASKS || use.bytes + bytes > MAX_AGENT_BYTES) return undefined;
      hold(agentKey, 1, bytes);
      const { promise, resolve } = Promise.withResolvers<TaskResult>();
      waiting.set(id, { task, resolve });
      return {
        result: promise,
        leave() {
          if (waiting.delete(id)) hold(agentKey, -1, -bytes);
        },
      };
    },
    find: (id) => waiting.get(id)?.task,
    resolve: (id, bytes) => waiting.get(id)?.resolve({ bytes }),
    close: () => look.close(),
  };
}
