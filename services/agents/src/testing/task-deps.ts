import { ManualClock } from '@fairlead/service-kit/clock';
import type { ReplicaCall, Replicas } from '../ports/replicas.ts';
import { createOpenPlaces } from '../tasks/open-places.ts';
import type { TaskResult, WaitingTasks } from '../tasks/waiting-tasks.ts';
import { memoryTasks, memoryWakes } from './memory-tasks.ts';

/** Dependencies of tasks, in memory; `waiting.resolve` delivers results. */
export function taskDeps(most?: number) {
  const results = new Map<string, (result: TaskResult) => void>();
  const waiting: Pick<WaitingTasks, 'wait' | 'resolve'> = {
    wait({ id }) {
      const { promise, resolve } = Promise.withResolvers<TaskResult>();
      results.set(id, resolve);
      return { result: promise, leave: () => void results.delete(id) };
    },
    resolve: (id, bytes) => results.get(id)?.({ bytes }),
  };
  const passedOn: ReplicaCall[] = [];
  return {
    /** The calls that were forwarded to other replicas, which begin none of them. */
    passedOn,
    replicas: {
      runCall(_ctx, _replica, call) {
        passedOn.push(call);
        return Promise.resolve('notBegun');
      },
    } satisfies Replicas,
    tasks: memoryTasks(most),
    wakes: memoryWakes(),
    places: createOpenPlaces(),
    waiting,
    results,
    replicaUrl: () => 'http://replica.test',
    clock: new ManualClock(new Date('2026-11-29T12:00:00.000Z')),
  };
}
