import { setTimeout as delay } from 'node:timers/promises';
import { startLoad, tally, violations } from '../faults/support/load.ts';
import { executeRoute, prepareConnection, readRoutes } from '../faults/support/traffic.ts';
import type { Part } from './part.ts';
import { RELEASE } from './support/installation.ts';

const AWAY_MS = 60_000;
/** Leased budgets and cached credentials have expired by then. */
const SETTLED_MS = 30_000;
const WELL_MS = 180_000;

/** Scales MongoDB to 0: calls get 503 with the envelope, gateways stay ready, and everything recovers without intervention. */
export const storesAway: Part = {
  name: 'stores-away',
  async run(site) {
    const { namespace, target } = await site.installation();
    const gateways = 'app.kubernetes.io/component=gateway';
    const connectionId = await prepareConnection(target);
    const load = startLoad({
      baseUrl: target.baseUrl,
      apiKey: target.account.apiKey,
      routes: [...readRoutes(connectionId), executeRoute(connectionId)],
      callers: 4,
      pauseMs: 200,
    });
    const problems: string[] = [];
    try {
      await load.untilWell(WELL_MS);
      const restartsBefore = await restartsOf();
      await scale(0);
      const awayAt = performance.now();
      while (performance.now() - awayAt < AWAY_MS) {
        const unready = (await namespace.pods(gateways)).filter(
          ({ status }) => !status.containerStatuses.every(({ ready }) => ready),
        );
        problems.push(
          ...unready.map(({ metadata }) => `${metadata.name} is not ready while MongoDB is away`),
        );
        await delay(2_000);
      }
      const backAt = performance.now();
      const settled = load.outcomes.filter(
        ({ startedAt, durationMs }) => startedAt > awayAt + SETTLED_MS && startedAt + durationMs < backAt,
      );
      const others = settled.filter(({ status, isEnvelope }) => status !== 503 || !isEnvelope);
      if (settled.length === 0) problems.push('no call was answered while MongoDB was away');
      problems.push(
        ...others.map(
          ({ route, status, body }) => `${route.name} answered ${String(status)} ${JSON.stringify(body)}`,
        ),
      );
      await scale(1);
      await load.untilWell(WELL_MS);
      const recoveredMs = performance.now() - backAt;
      if ((await restartsOf()) > restartsBefore) problems.push('a container was restarted');
      const outcomes = await load.stop();
      problems.push(...violations(outcomes));
      return {
        figures: [
          `MongoDB away for ${String(AWAY_MS / 1000)} s: ${JSON.stringify(tally(settled))} once settled, ${JSON.stringify(tally(outcomes))} in all`,
          `all routes answered ${String(Math.round(recoveredMs / 1000))} s after its return was requested`,
        ],
        problems: [...new Set(problems)],
      };
    } finally {
      await load.stop();
      await scale(1);
    }

    async function scale(replicas: number): Promise<void> {
      const store = `statefulset/${RELEASE}-mongodb`;
      await namespace.kubectl(['scale', store, `--replicas=${String(replicas)}`]);
    }

    async function restartsOf(): Promise<number> {
      const pods = await namespace.pods();
      const ours = pods.flatMap(({ status }) => status.containerStatuses);
      return ours.reduce((sum, { restartCount }) => sum + restartCount, 0);
    }
  },
};
