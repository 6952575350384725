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
      await upgrade({ image: NEWER }, []);
      const deleted = await deleteOlderHalfWay(namespace);
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

/** Deletes the older pods of a service as soon as it has a newer one that is ready, until all pods are newer ones. */
async function deleteOlderHalfWay(namespace: Namespace): Promise<number> {
  const deleted = new Set<string>();
  const isNewer = ({ spec }: Pod): boolean =>
    spec.containers.some(({ image }) => image.endsWith(`:${NEWER.tag}`));
  await until('all pods are of the newer release', ROLLED_MS, async () => {
    const all = await namespace.pods('app.kubernetes.io/component');
    const pods = all.filter((pod) => ALL_SERVICES.some((name) => name === serviceOf(pod)));
    const ready = new Set(
      pods
        .filter((pod) => isNewer(pod) && pod.status.containerStatuses.every((it) => it.ready))
        .map(serviceOf),
    );
    const older = pods.filter((pod) => !isNewer(pod) && pod.metadata.deletionTimestamp === undefined);
    for (const { metadata } of older.filter((pod) => ready.has(serviceOf(pod)))) {
      await namespace.kubectl(['delete', 'pod', metadata.name, '--wait=false', '--ignore-not-found']);
      deleted.add(metadata.name);
    }
    return older.length === 0 && ready.size === ALL_SERVICES.length;
  });
  for (const service of ALL_SERVICES) await namespace.rolledOut(`deployment/${RELEASE}-${service}`);
  return deleted.size;
}

async function indexesOf(namespace: Namespace): Promise<readonly string[]> {
  const command = ['node', '--input-type=module', '--eval', LIST_INDEXES];
  const text = await namespace.kubectl(['exec', `deployment/${RELEASE}-connections`, '--', ...command]);
  return text.split('\n').filter(Boolean);
}
