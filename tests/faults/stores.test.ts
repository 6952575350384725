import { waitForPort } from '@fairlead/local-stores/ports';
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { get } from './support/api.ts';
import { startLoad, tally, violations } from './support/load.ts';
import type { LoadRoute, Outcome } from './support/load.ts';
import { kill, processOf, terminate, untilReplaced } from './support/processes.ts';
import { isHit } from './support/selection.ts';
import { createRoute, executeRoute, prepareConnection, readRoutes } from './support/traffic.ts';

const stack = inject('stack');

const RECOVERY_LIMIT_MS = 120_000;
const WARM_UP_MS = 120_000;

let reads: readonly LoadRoute[];
let create: LoadRoute;
let execute: LoadRoute;
beforeAll(async () => {
  const connectionId = await prepareConnection(stack);
  reads = readRoutes(connectionId);
  create = createRoute(stack);
  execute = executeRoute(connectionId);
});

describe.each([
  { store: 'mongod', how: 'kill -9', signal: kill, url: stack.mongodbUri },
  { store: 'mongod', how: 'a restart', signal: terminate, url: stack.mongodbUri },
  { store: 'nats-server', how: 'kill -9', signal: kill, url: stack.natsUrl },
  { store: 'nats-server', how: 'a restart', signal: terminate, url: stack.natsUrl },
])('$store, $how under load', ({ store, how, signal, url }) => {
  it.runIf(how === 'kill -9' || isHit(store))(
    'reads answer again after its return, and every acknowledged write is there',
    async () => {
      const program = `${store}\0`;
      const access = { baseUrl: stack.baseUrl, apiKey: stack.account.apiKey };
      const writing = startLoad({ ...access, routes: [create, execute], callers: 6, pauseMs: 10 });
      const reading = startLoad({ ...access, routes: reads, callers: 12, pauseMs: 25 });
      try {
        await writing.untilWell(WARM_UP_MS, 10);
        const victim = processOf(stack, program);
        signal(victim);
        await untilReplaced(stack, program, victim);
        await waitForPort(Number(new URL(url).port), AbortSignal.timeout(RECOVERY_LIMIT_MS));
        await reading.untilWell(RECOVERY_LIMIT_MS);
        await writing.untilWell(WARM_UP_MS, 10);
      } finally {
        await Promise.all([reading.stop(), writing.stop()]);
        console.log('reads', tally(reading.outcomes), 'writes', tally(writing.outcomes));
      }
      expect(violations([...reading.outcomes, ...writing.outcomes])).toEqual([]);

      const records = acknowledged(writing.outcomes, create, 'id').map((id) => `/v1/connections/${id}`);
      const history = acknowledged(writing.outcomes, execute, 'historyId').map(
        (id) => `/v1/executions/${id}`,
      );
      expect(new Set(records).size).toBe(records.length);
      expect(await findLost([...records, ...history])).toEqual([]);
    },
  );
});

/** Ids of acknowledged writes. */
function acknowledged(outcomes: readonly Outcome[], route: LoadRoute, id: string): number[] {
  return outcomes
    .filter((it) => it.route === route && it.status >= 200 && it.status < 300)
    .map(({ body }) => (body as Record<string, number>)[id] ?? -1); // both routes answer a record with a number
}

/** The missing records, once a replica answers for each. */
async function findLost(paths: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  for (const path of paths) {
    const answered = async (): Promise<number> => {
      const { status } = await get(path);
      expect(status).not.toBeOneOf([0, 503, 504]);
      return status;
    };
    const status = await vi.waitFor(answered, { timeout: RECOVERY_LIMIT_MS, interval: 200 });
    if (status !== 200) missing.push(`${path}: ${status}`);
  }
  return missing;
}
