import { makeNewerRelease, NEW_INDEXES } from '../releases/newer-release.ts';
import { copyCheckout } from '../setup/copied-checkout.ts';
import { buildAndLoad } from './images.ts';
import type { Part } from './part.ts';
import { ALL_SERVICES, RELEASE } from './support/installation.ts';
import { until } from './support/kubernetes.ts';
import type { Namespace, Pod } from './support/kubernetes.ts';
import { serviceOf } from './support/monitor.ts';
import { figuresOf, problemsOf } from './support/traffic.ts';
import { underTraffic } from './support/under-traffic.ts';

const NEWER = { repository: 'ghcr.io/fairlead/fairlead', tag: 'newer' };
const ROLLED_MS = 480_000;

/** Prints every index of every database of the product. It runs in a pod, which has the address of MongoDB and the driver. */
const LIST_INDEXES = `
import { readFileSync } from 'node:fs';
import { MongoClient } from 'mongodb';
const uri = process.env.MONGODB_URI ?? readFileSync(process.env.MONGODB_URI_FILE, 'utf8').trim();
const mongo = await MongoClient.connect(uri);
const { databases } = await mongo.db('admin').admin().listDatabases({ nameOnly: true });
for (const { name } of databases.filter((it) => it.name.startsWith('fairlead_')))
  for (const collection of await mongo.db(name).collections())
    for (const index of await collection.indexes())
      console.log([name, collection.collectionName, index.name].join('/'));
await mongo.close();
`;

/** The next release is rolled out under load, the older pods are deleted half-way, and the release is rolled back. */
export const versions: Part = {
  name: 'versions',
  async run(site) {
    const checkout = await copyCheckout();
    try {
      await makeNewerRelease(checkout);
      await buildAndLoad(checkout.root, `${NEWER.repository}:${NEWER.tag}`);
    } finally {
      await checkout.remove();
    }
    return underTraffic(site, async (traffic, { namespace, upgrade }) => {
      const before = await podsOfProduct(namespace);
      await upgrade({ image: NEWER }, []);
      const deleted = await deleteHalfWay(namespace, before);
      await traffic.untilWell();
      const indexes = await indexesOf(namespace);
      site.say('the newer release runs');
      await namespace.helm(['rollback', RELEASE, '--wait', '--timeout', '8m']);
      await traffic.untilWell();
      const left = new Set(await indexesOf(namespace));
      const verdict = await traffic.stop();
      const lost = indexes.filter((index) => !left.has(index));
      return {
        figures: [
          `upgrade with ${String(deleted)} older pods deleted half-way, and rollback: ${figuresOf(verdict)}`,
          `${String(indexes.length)} indexes of the newer release, ${String(lost.length)} lost`,
        ],
        problems: [
          ...problemsOf(verdict),
          ...lost.map((index) => `the index ${index} is lost`),
          ...NEW_INDEXES.filter((index) => !indexes.includes(index)).map(
            (index) => `the newer release did not make ${index}`,
          ),
        ],
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
 * Deletes each of the pods that are older than the upgrade as soon as its service has a newer one that is ready. Waits until all pods are newer
 * ones, and returns how many it has deleted.
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
      // Its ReplicaSet may put another one in its place, which is left to the rollout.
      if (!left.delete(metadata.name)) continue;
      await namespace.kubectl(['delete', 'pod', metadata.name, '--wait=false', '--ignore-not-found']);
      deleted += 1;
    }
    return older.length === 0 && ready.size === ALL_SERVICES.length;
  });
  for (const service of ALL_SERVICES) await namespace.rolledOut(`deployment/${RELEASE}-${service}`);
  return deleted;
}

async function indexesOf(namespace: Namespace): Promise<readonly string[]> {
  const command = ['node', '--input-type=module', '--eval', LIST_INDEXES];
  const text = await namespace.kubectl(['exec', `deployment/${RELEASE}-connections`, '--', ...command]);
  return text.split('\n').filter(Boolean);
}
