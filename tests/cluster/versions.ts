import { NEW_INDEXES } from '../releases/newer-release.ts';
import type { Part } from './part.ts';
import { ALL_SERVICES, RELEASE } from './support/installation.ts';
import { until } from './support/kubernetes.ts';
import type { Namespace, Pod } from './support/kubernetes.ts';
import { serviceOf } from './support/monitor.ts';
import { buildNewer, indexesOf, lostIndexes, NEWER } from './support/newer.ts';
import { figuresOf, problemsOf } from './support/traffic.ts';
import { underTraffic } from './support/under-traffic.ts';

const ROLLED_MS = 480_000;

/** The next release is rolled out under load, older pods are deleted half-way, and the release is rolled back. */
export const versions: Part = {
  name: 'versions',
  async run(site) {
    await buildNewer();
    return underTraffic(site, async (traffic, { namespace, upgrade }) => {
      const before = await podsOfProduct(namespace);
      await upgrade({ image: NEWER }, []);
      const deleted = await deleteHalfWay(namespace, before);
      await traffic.untilWell();
      const indexes = await indexesOf(namespace);
      site.say('the newer release runs');
      await namespace.helm(['rollback', RELEASE, '--wait', '--timeout', '8m']);
      await traffic.untilWell();
      const lost = lostIndexes(indexes, await indexesOf(namespace), NEW_INDEXES);
      const verdict = await traffic.stop();
      return {
        figures: [
          `upgrade with ${String(deleted)} older pods deleted half-way, and rollback: ${figuresOf(verdict)}`,
          lost.figure,
        ],
        problems: [...problemsOf(verdict), ...lost.problems],
      };
    });
  },
};

/** The pods of our own services. */
async function podsOfProduct(namespace: Namespace): Promise<readonly Pod[]> {
  const all = await namespace.pods('app.kubernetes.io/component');
  return all.filter((pod) => ALL_SERVICES.some((name) => name === serviceOf(pod)));
}

/**
 * Deletes each pod that is older than the upgrade as soon as its service has a newer, ready one. Waits until all pods are newer; returns
 * the number of deleted ones.
 */
async function deleteHalfWay(namespace: Namespace, before: readonly Pod[]): Promise<number> {
  const left = new Set(before.map(({ metadata }) => metadata.name));
  let deleted = 0;
  const isNewer = ({ spec }: Pod): boolean =>
    spec.containers.some(({ image }) => image.endsWith(`:${NEWER.tag}`));
  await until('all pods are of the newer release', ROLLED_MS, async () => {
    const pods = await podsOfProduct(namespace);
    const ready = new Set(
      pods
        .filter((pod) => isNewer(pod) && pod.status.containerStatuses.every((it) => it.ready))
        .map(serviceOf),
    );
    const older = pods.filter((pod) => !isNewer(pod) && pod.metadata.deletionTimestamp === undefined);
    for (const { metadata } of older.filter((pod) => ready.has(serviceOf(pod)))) {
      // The ReplicaSet may recreate the pod; the rollout handles that one.
      if (!left.delete(metadata.name)) continue;
      await namespace.kubectl(['delete', 'pod', metadata.name, '--wait=false', '--ignore-not-found']);
      deleted += 1;
    }
    return older.length === 0 && ready.size === ALL_SERVICES.length;
  });
  for (const service of ALL_SERVICES) await namespace.rolledOut(`deployment/${RELEASE}-${service}`);
  return deleted;
}
