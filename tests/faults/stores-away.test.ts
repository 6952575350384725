import { setTimeout as delay } from 'node:timers/promises';
import { SERVICE_NAMES } from '@fairlead/service-list/services';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { startLoad, tally, violations } from './support/load.ts';
import type { LoadRoute, Outcome } from './support/load.ts';
import { allOf, environmentOf, keepKilled } from './support/processes.ts';
import { isHit } from './support/selection.ts';
import { prepareConnection, readRoutes } from './support/traffic.ts';

const stack = inject('stack');

const PROBES = 20;
const PROBE_EVERY_MS = 200;
const AWAY = { timeout: 120_000, interval: 100 };
const RECOVERY_LIMIT_MS = 120_000;

/** An orchestrator's probes of each process: liveness at its admin port, readiness at its own. */
interface Probe {
  readonly name: string;
  readonly url: string;
  readonly isHealth: boolean;
}

let reads: readonly LoadRoute[];
beforeAll(async () => {
  reads = readRoutes(await prepareConnection(stack));
});

/** All service processes, by id. */
async function processes(): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (const name of ['gateway', ...SERVICE_NAMES])
    for (const id of await allOf(stack, `services/${name}/src/main.ts`)) found.set(id, name);
  return found;
}

function probesOf(running: ReadonlyMap<number, string>): readonly Probe[] {
  return [...running].flatMap(([id, name]) => {
    const { PORT, ADMIN_PORT } = environmentOf(id);
    const own = `http://127.0.0.1:${PORT}`;
    const liveness = { name: `${name} lives`, url: `http://127.0.0.1:${ADMIN_PORT}/livez`, isHealth: false };
    const readiness =
      name === 'gateway'
        ? { name: `${name} is ready`, url: `${own}/readyz`, isHealth: false }
        : { name: `${name} serves`, url: `${own}/grpc.health.v1.Health/Check`, isHealth: true };
    return [liveness, readiness];
  });
}

/** Whether the probe succeeds. */
async function succeeds({ url, isHealth }: Probe): Promise<boolean> {
  try {
    // On a new connection, like an orchestrator: an idle one may be closed just when it is reused.
    const headers = { 'content-type': 'application/json', connection: 'close' };
    const answer = await fetch(url, isHealth ? { method: 'POST', headers, body: '{}' } : { headers });
    const text = await answer.text();
    return answer.status === 200 && (!isHealth || text.includes('"SERVING"'));
  } catch {
    return false;
  }
}

/** Repeats probes until `stop`; collects the failed ones. */
function probeRepeatedly(probes: readonly Probe[]) {
  const failed = new Set<string>();
  let rounds = 0;
  const stopping = new AbortController();
  const probing = (async () => {
    while (!stopping.signal.aborted) {
      for (const probe of probes) if (!(await succeeds(probe))) failed.add(probe.name);
      rounds += 1;
      await delay(PROBE_EVERY_MS);
    }
  })();
  return {
    failed,
    rounds: () => rounds,
    async stop() {
      stopping.abort();
      await probing;
    },
  };
}

const isRefused = ({ status, errorCode }: Outcome): boolean => status === 503 && errorCode === 'UNAVAILABLE';

describe.each([
  { store: 'mongod', expected: 'calls that need it get 503 UNAVAILABLE' },
  { store: 'nats-server', expected: 'calls are answered' },
])('$store is away', ({ store, expected }) => {
  it.runIf(isHit(store))(
    `${expected}; every process lives and is ready, none restarts, and all recover by themselves`,
    async () => {
      const running = await processes();
      const probed = probesOf(running);
      // Processes that an earlier test has killed may still be starting.
      await expect
        .poll(async () => (await Promise.all(probed.map(succeeds))).every(Boolean), AWAY)
        .toBe(true);
      const reading = startLoad({
        baseUrl: stack.baseUrl,
        apiKey: stack.account.apiKey,
        routes: reads,
        callers: 12,
        pauseMs: 25,
      });
      const probes = probeRepeatedly(probed);
      const needsMongo = (route: LoadRoute): boolean => route.path.startsWith('/v1/connections');
      try {
        await reading.untilWell(RECOVERY_LIMIT_MS);
        const away = keepKilled(stack, `${store}\0`);
        try {
          const from = [probes.rounds(), reading.outcomes.length] as const;
          const enough = (route: LoadRoute): boolean =>
            reading.outcomes
              .slice(from[1])
              .filter((it) => it.route === route && (store === 'mongod' ? isRefused(it) : it.status === 200))
              .length >= 5;
          const awaited = store === 'mongod' ? reads.filter(needsMongo) : reads;
          await expect.poll(() => awaited.every(enough), AWAY).toBe(true);
          await expect.poll(() => probes.rounds() - from[0], AWAY).toBeGreaterThan(PROBES);
        } finally {
          await away.stop();
        }
        await reading.untilWell(RECOVERY_LIMIT_MS);
      } finally {
        await Promise.all([reading.stop(), probes.stop()]);
        console.log(store, tally(reading.outcomes));
      }
      expect([...probes.failed]).toEqual([]);
      expect(violations(reading.outcomes)).toEqual([]);
      const mayRefuse = store === 'mongod';
      expect(reading.outcomes.filter(({ status }) => status !== 200 && !mayRefuse)).toEqual([]);
      expect(await processes()).toEqual(running);
    },
  );
});
