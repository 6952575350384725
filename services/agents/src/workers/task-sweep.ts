import type { Clock } from '@fairlead/service-kit/clock';
import { repeatInBackground } from '@fairlead/service-kit/lifecycle/background';
import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { OpenCount, TaskStore } from '../ports/task-store.ts';

const EVERY_MS = 5_000;
/** A waiting replica has cancelled its task by then. */
const LATE_MS = 10_000;

/** The open tasks of all agents, as last counted. */
let open: readonly OpenCount[] = [];
for (const state of ['queued', 'taken', 'started'] as const)
  registry.observed({
    name: `agent_tasks_${state}`,
    help: `Tasks of all on-prem agents that are ${state}; the same in every replica.`,
    read: () => open.find((it) => it.state === state)?.count ?? 0,
  });
registry.observed({
  name: 'agent_task_oldest_seconds',
  help: 'Age of the oldest open task of all on-prem agents; the same in every replica.',
  read: () => Math.max(0, ...open.map(({ oldestMs }) => oldestMs)) / 1_000,
});

/** In the background, ends tasks that are past their deadline because their replica has died, and counts the open ones. */
export function startTaskSweep({
  tasks,
  clock,
  log,
}: {
  readonly tasks: Pick<TaskStore, 'endAbandoned' | 'countOpen'>;
  readonly clock: Clock;
  readonly log: Logger;
}): BackgroundWork {
  return repeatInBackground({
    name: 'abandoned tasks',
    everyMs: EVERY_MS,
    log,
    async work() {
      const now = clock.now();
      const ended = await tasks.endAbandoned(new Date(now.getTime() - LATE_MS), now);
      open = await tasks.countOpen(now);
      if (ended > 0) log.warn({ tasks: ended }, 'ended tasks of agents for which no replica waited any more');
    },
  });
}
