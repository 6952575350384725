import { repeatInBackground } from '@fairlead/service-kit/lifecycle/background';
import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Task } from '../domain/task.ts';
import type { TaskStore } from '../ports/task-store.ts';

/** The end of a task: the bytes of its result, or the task as it ended without one. */
export type TaskResult = { readonly bytes: Uint8Array } | { readonly ended: Task };

/** The tasks whose results this replica waits for. */
export interface WaitingTasks extends BackgroundWork {
  /** Waits for a task that is about to be queued, until `leave` is called. */
  wait(id: string): { readonly result: Promise<TaskResult>; leave(): void };
  has(id: string): boolean;
  /** Passes a result on to whoever waits. */
  resolve(id: string, bytes: Uint8Array): void;
}

/** How often tasks that ended without a result are looked for. */
const LOOK_MS = 1_000;

/** Waits for results, and finds tasks that ended without one in another replica. */
export function createWaitingTasks(o: {
  readonly tasks: Pick<TaskStore, 'findEnded'>;
  readonly log: Logger;
}): WaitingTasks {
  const waiting = new Map<string, (result: TaskResult) => void>();
  const look = repeatInBackground({
    name: 'ended tasks',
    everyMs: LOOK_MS,
    log: o.log,
    async work() {
      if (waiting.size === 0) return;
      for (const ended of await o.tasks.findEnded([...waiting.keys()])) waiting.get(ended.id)?.({ ended });
    },
  });
  return {
    wait(id) {
      const { promise, resolve } = Promise.withResolvers<TaskResult>();
      waiting.set(id, resolve);
      return {
        result: promise,
        leave: () => void waiting.delete(id),
      };
    },
    has: (id) => waiting.has(id),
    resolve: (id, bytes) => waiting.get(id)?.({ bytes }),
    close: () => look.close(),
  };
}
