import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { nodesOfCluster, run } from './kubernetes.ts';
import type { Namespace, Pod } from './kubernetes.ts';

const MIB = 1024 * 1024;
const INTERVAL_MS = 3_000;

const summary = z.object({
  pods: z.array(
    z.object({
      podRef: z.object({ name: z.string(), namespace: z.string() }),
      containers: z
        .array(
          z.object({
            name: z.string(),
            memory: z.object({ workingSetBytes: z.number().optional() }).optional(),
          }),
        )
        .nullish(),
    }),
  ),
});

/** Memory of a service's pods in MiB: the largest working set reported by the kubelet, and the pod's limit. */
interface MemoryUse {
  readonly mib: number;
  readonly limitMib: number;
}

/** Usage of each service, and problems of its pods. */
interface Observation {
  readonly memory: ReadonlyMap<string, MemoryUse>;
  /** One line each: a container killed for its memory, or ended unexpectedly. */
  readonly problems: readonly string[];
}

/** Observes the pods of a namespace until stopped. */
export interface Monitor {
  /** Resets the measured memory. */
  reset(): void;
  /** Observes once more; returns the findings since the start or the last reset. */
  read(): Promise<Observation>;
  stop(): Promise<Observation>;
}

/** The service to which a pod belongs; the pod's name if it is not ours. */
export function serviceOf({ metadata }: Pod): string {
  return metadata.labels['app.kubernetes.io/component'] ?? metadata.name;
}

/** Reads memory and states of all pods every few seconds. */
export function startMonitor(namespace: Namespace): Monitor {
  const stopping = new AbortController();
  const memory = new Map<string, MemoryUse>();
  const problems = new Set<string>();

  const observe = async (): Promise<void> => {
    const pods = new Map((await namespace.pods()).map((pod) => [pod.metadata.name, pod]));
    for (const pod of pods.values()) for (const problem of problemsOf(pod)) problems.add(problem);
    for (const [name, mib] of await memoryOf(namespace)) {
      const pod = pods.get(name);
      // A pod that has ended has no memory figures.
      if (pod === undefined || mib === 0) continue;
      const service = serviceOf(pod);
      if (mib > (memory.get(service)?.mib ?? 0)) memory.set(service, { mib, limitMib: limitOf(pod) });
    }
  };
  const observation = (): Observation => ({ memory: new Map(memory), problems: [...problems] });
  const running = (async () => {
    while (!stopping.signal.aborted) {
      // The API server is busy, or a pod has just ended; the next turn sees it.
      await observe().catch(() => undefined);
      await delay(INTERVAL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    reset: () => memory.clear(),
    async read() {
      await observe();
      return observation();
    },
    async stop() {
      stopping.abort();
      await running;
      // The parts' results do not depend on the last turn.
      await observe().catch(() => undefined);
      return observation();
    },
  };
}

/** Current working set of each pod in the namespace in MiB, all containers together. */
export async function memoryOf(namespace: Namespace): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const { name } of await nodesOfCluster()) {
    const answer = await run('kubectl', ['get', '--raw', `/api/v1/nodes/${name}/proxy/stats/summary`]);
    for (const { podRef, containers } of summary.parse(JSON.parse(answer)).pods) {
      if (podRef.namespace !== namespace.name) continue;
      const bytes = (containers ?? []).reduce((sum, { memory }) => sum + (memory?.workingSetBytes ?? 0), 0);
      found.set(podRef.name, bytes / MIB);
    }
  }
  return found;
}

function problemsOf(pod: Pod): readonly string[] {
  return pod.status.containerStatuses.flatMap(({ name, state, lastState }) =>
    [state['terminated'], lastState['terminated']].flatMap((ended) =>
      ended?.reason === 'OOMKilled' ? [`${pod.metadata.name}/${name} was OOMKilled`] : [],
    ),
  );
}

const UNITS: Readonly<Record<string, number>> = { Ki: 1 / 1024, Mi: 1, Gi: 1024, M: 1e6 / MIB, G: 1e9 / MIB };

/** Memory limit of a pod's containers in MiB; infinite if one has none. */
export function limitOf({ spec }: Pod): number {
  return spec.containers.reduce((sum, { resources }) => {
    const [, number, unit = ''] = /^(\d+)([KMG]i?)$/.exec(resources.limits['memory'] ?? '') ?? [];
    return sum + (number === undefined ? Infinity : Number(number) * (UNITS[unit] ?? Infinity));
  }, 0);
}
