import type { Part } from './part.ts';
import { ALL_SERVICES } from './support/installation.ts';
import { until } from './support/kubernetes.ts';
import type { Pod } from './support/kubernetes.ts';
import { killProcess } from './support/kill.ts';
import type { Death } from './support/kill.ts';
import { failedCalls, figuresOf } from './support/traffic.ts';
import { underTraffic } from './support/under-traffic.ts';

const STARTED_MS = 120_000;
/** The connection was refused: the Service uses a killed gateway until the kubelet has reported it. */
const NOT_CONNECTED = /connect ECONNREFUSED/;

/** Kills the process of one pod of every service in turn under load: only calls in flight may fail. */
export const kills: Part = {
  name: 'kills',
  run: (site) =>
    underTraffic(site, async (traffic, { namespace }) => {
      const deaths: Death[] = [];
      for (const service of ALL_SERVICES) {
        const pods = await namespace.pods(`app.kubernetes.io/component=${service}`);
        const pod = pods.find(({ metadata }) => metadata.deletionTimestamp === undefined);
        if (pod === undefined) throw new Error(`${service} has no pod`);
        deaths.push(await killProcess(namespace, pod.metadata.name));
        await until(`${pod.metadata.name} serves again`, STARTED_MS, async () => {
          const running = await namespace.pods(`app.kubernetes.io/component=${service}`);
          const now = running.find(({ metadata }) => metadata.name === pod.metadata.name);
          return (
            now?.status.containerStatuses.every((it) => it.ready && it.restartCount > restartsOf(pod)) ??
            false
          );
        });
        await traffic.untilWell();
        site.say(`a process of ${service} was killed`);
      }
      const verdict = await traffic.stop();
      const wasInFlight = (startedAt: number, endedAt: number): boolean =>
        deaths.some(({ fromMs, untilMs }) => startedAt <= untilMs && endedAt >= fromMs);
      const failed = failedCalls(verdict);
      const notMade = failed.filter(({ line }) => NOT_CONNECTED.test(line));
      const others = failed.filter((it) => !notMade.includes(it) && !wasInFlight(it.startedAt, it.endedAt));
      return {
        figures: [
          `${String(deaths.length)} processes killed: ${figuresOf(verdict)}`,
          `${String(notMade.length)} of these calls were not made, because the Service still led to the killed gateway`,
        ],
        problems: [
          ...others.map(({ line }) => `not in flight when a process was killed: ${line}`),
          ...verdict.lost.map((id) => `the event ${id} did not arrive`),
        ],
      };
    }),
};

function restartsOf({ status }: Pod): number {
  return status.containerStatuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
}
