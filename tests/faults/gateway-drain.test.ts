import { expect, inject, it } from 'vitest';
import { untilBalanced } from './support/balanced.ts';
import { startLoad, tally } from './support/load.ts';
import { failedCalls } from './support/logs.ts';
import { allOf, environmentOf, processesOf, terminate, untilReplaced } from './support/processes.ts';
import { createRoute, executeRoute, prepareConnection, readRoutes } from './support/traffic.ts';

const stack = inject('stack');

const PROGRAM = 'services/gateway/src/main.ts';
const RESTARTS = 6;
const WARM_UP_MS = 120_000;

/** Longest idle time of a client's connection: half of the gateway's limit, because a busy machine adds to it. */
function longestPauseMs(): number {
  const [id] = processesOf(stack, PROGRAM);
  if (id === undefined) throw new Error('No gateway runs');
  return Number(environmentOf(id)['DRAIN_DELAY_MS']) / 2;
}

it('both gateways are restarted in turn, again and again: no call of a keep-alive client fails', async () => {
  const replicas = await allOf(stack, PROGRAM);
  expect(replicas).toHaveLength(2);
  await Promise.all(replicas.map((id) => untilBalanced(stack.baseUrl, id)));
  const connectionId = await prepareConnection(stack);
  const pauseMs = longestPauseMs();
  let calls = 0;
  const load = startLoad({
    baseUrl: stack.baseUrl,
    apiKey: stack.account.apiKey,
    routes: [...readRoutes(connectionId), executeRoute(connectionId), createRoute(stack)],
    callers: 12,
    // Pauses of callers: mostly none, each 32nd the longest, so that calls fall into every moment of a stop.
    pauseMs: () => pauseMs * ((calls++ % 32) / 31) ** 8,
  });
  try {
    await load.untilWell(WARM_UP_MS);
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      // The oldest stops each time, so that both take turns.
      const [victim] = processesOf(stack, PROGRAM);
      if (victim === undefined) throw new Error('No gateway runs');
      terminate(victim);
      const running = await untilReplaced(stack, PROGRAM, victim);
      await Promise.all(running.map((id) => untilBalanced(stack.baseUrl, id)));
    }
    await load.untilWell(WARM_UP_MS);
  } finally {
    await load.stop();
    console.log(`${RESTARTS} restarts`, tally(load.outcomes));
  }
  expect(failedCalls(load.outcomes)).toEqual([]);
});
