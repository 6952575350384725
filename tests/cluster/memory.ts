import { setTimeout as delay } from 'node:timers/promises';
import { startLoad } from '../faults/support/load.ts';
import { executeRoute, prepareConnection, readRoutes } from '../faults/support/traffic.ts';
import type { Part } from './part.ts';
import { memoryOf, serviceOf, startMonitor } from './support/monitor.ts';

const REST_MS = 30_000;
const MOST_AT_REST_MIB = 160e6 / 1024 / 1024;
const CONNECTIONS = 64;
const LOAD_MS = 30_000;

/** Measures each pod's memory when idle, and with calls on 64 connections at once. */
export const memory: Part = {
  name: 'memory',
  async run(site) {
    const { namespace, target } = await site.installation();
    await delay(REST_MS);
    const used = await memoryOf(namespace);
    const pods = (await namespace.pods('app.kubernetes.io/component')).filter(({ metadata }) =>
      used.has(metadata.name),
    );
    const atRest = pods.map((pod) => ({ service: serviceOf(pod), mib: used.get(pod.metadata.name) ?? 0 }));

    const connectionId = await prepareConnection(target);
    const monitor = startMonitor(namespace);
    const load = startLoad({
      baseUrl: target.baseUrl,
      apiKey: target.account.apiKey,
      routes: [...readRoutes(connectionId), executeRoute(connectionId)],
      callers: CONNECTIONS,
      pauseMs: 0,
    });
    await delay(LOAD_MS);
    const outcomes = await load.stop();
    const { memory: peaks } = await monitor.stop();
    const stores = new Set(['mongodb', 'nats']);
    const ours = atRest.filter(({ service }) => !stores.has(service));
    const rest = (all: typeof atRest): string =>
      [...Map.groupBy(all, ({ service }) => service)]
        .map(([service, some]) => `${service} ${Math.max(...some.map(({ mib }) => mib)).toFixed(0)}`)
        .join(', ');
    return {
      figures: [
        `MiB at rest, the larger of two pods: ${rest(atRest)}`,
        `largest MiB under ${String(CONNECTIONS)} connections (${String(Math.round((outcomes.length * 1000) / LOAD_MS))} calls/s): ${[...peaks].map(([service, { mib, limitMib }]) => `${service} ${mib.toFixed(0)} of ${String(limitMib)}`).join(', ')}`,
      ],
      problems: [
        ...ours
          .filter(({ mib }) => mib >= MOST_AT_REST_MIB)
          .map(({ service, mib }) => `a pod of ${service} has ${mib.toFixed(0)} MiB at rest`),
        ...(ours.length === 0 ? ['the kubelet reports no memory'] : []),
      ],
    };
  },
};
