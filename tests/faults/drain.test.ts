import { expect, inject, it } from 'vitest';
import { startLoad, tally } from './support/load.ts';
import { failedCalls } from './support/logs.ts';
import { allOf, processesOf, terminate, untilReplaced, untilServing } from './support/processes.ts';
import { executeRoute, prepareConnection, readRoutes } from './support/traffic.ts';

const stack = inject('stack');

const PROGRAM = 'services/tools/src/main.ts';
const CALLS = 5_000;
const WARM_UP_MS = 120_000;

it('[completion.npm-start.14] SIGTERM of one of two replicas, again and again: none of 5 000 calls fails', async () => {
  const replicas = await allOf(stack, PROGRAM);
  expect(replicas).toHaveLength(2);
  await Promise.all(replicas.map(untilServing));
  const connectionId = await prepareConnection(stack);
  const history = readRoutes(connectionId).filter(({ path }) => path.startsWith('/v1/executions'));
  const load = startLoad({
    baseUrl: stack.baseUrl,
    apiKey: stack.account.apiKey,
    routes: [...history, ...history, ...history, executeRoute(connectionId)],
    callers: 8,
    pauseMs: 0,
  });
  let restarts = 0;
  try {
    await load.untilWell(WARM_UP_MS);
    // The oldest stops each time, so that both take turns.
    while (load.outcomes.length < CALLS) {
      const [victim] = processesOf(stack, PROGRAM);
      if (victim === undefined) throw new Error('No replica runs');
      terminate(victim);
      const running = await untilReplaced(stack, PROGRAM, victim);
      await Promise.all(running.map(untilServing));
      restarts += 1;
    }
  } finally {
    await load.stop();
    console.log(`${restarts} restarts`, tally(load.outcomes));
  }
  expect(failedCalls(load.outcomes)).toEqual([]);
  expect(restarts).toBeGreaterThan(1);
});
