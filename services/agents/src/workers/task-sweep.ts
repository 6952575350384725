import type { Clock } from '@fairlead/service-kit/clock';
import { repeatInBackground } from '@fairlead/service-kit/lifecycle/background';
import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { TaskStore } from '../ports/task-store.ts';

const EVERY_MS = 10_000;
/** A replica that waits has cancelled its task by then. */
const LATE_MS = 15_000;

/** Ends tasks in the background whose replica did not outlive their deadline. */
export function startTaskSweep({
  tasks,
  clock,
  log,
}: {
  readonly tasks: Pick<TaskStore, 'endAbandoned'>;
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
      if (ended > 0) log.warn({ tasks: ended }, 'ended tasks of agents for which no replica waited any more');
    },
  });
}
