import { z } from 'zod';
import { createNewerRelease } from '../../releases/newer-release.ts';
import { copyCheckout } from '../../setup/copied-checkout.ts';
import { buildAndLoad } from '../images.ts';
import { RELEASE } from './installation.ts';
import type { Namespace } from './kubernetes.ts';

/** The image of the next release. */
export const NEWER = { repository: 'ghcr.io/fairlead/fairlead', tag: 'newer' };

/** Connects to MongoDB from a pod, which has the address and the driver. */
const CONNECT = `
import { readFileSync } from 'node:fs';
import { MongoClient } from 'mongodb';
const uri = process.env.MONGODB_URI ?? readFileSync(process.env.MONGODB_URI_FILE, 'utf8').trim();
const mongo = await MongoClient.connect(uri);
`;

/** Prints every index of all the product's databases. */
const LIST_INDEXES = `
const { databases } = await mongo.db('admin').admin().listDatabases({ nameOnly: true });
for (const { name } of databases.filter((it) => it.name.startsWith('fairlead_')))
  for (const collection of await mongo.db(name).collections())
    for (const index of await collection.indexes())
      console.log([name, collection.collectionName, index.name].join('/'));
`;

/** Prints each connection with the member that only the next release has. */
const LIST_NOTES = `
for await (const { _id, testNote } of mongo.db('fairlead_connections').collection('connections').find())
  console.log(JSON.stringify([JSON.stringify(_id), testNote ?? '']));
`;

let built: Promise<void> | undefined;

/** Builds and loads the next release, once for all parts. */
export function buildNewer(): Promise<void> {
  built ??= build();
  return built;
}

async function build(): Promise<void> {
  const checkout = await copyCheckout();
  try {
    await createNewerRelease(checkout);
    await buildAndLoad(checkout.root, `${NEWER.repository}:${NEWER.tag}`);
  } finally {
    await checkout.remove();
  }
}

/** Every index of all the product's databases: `<database>/<collection>/<index>`. */
export function indexesOf(namespace: Namespace): Promise<readonly string[]> {
  return linesOf(namespace, LIST_INDEXES);
}

/** Compares the next release's indexes with the existing ones. `expected` are those that only the next release has. */
export function lostIndexes(
  indexes: readonly string[],
  left: readonly string[],
  expected: readonly string[],
): { readonly figure: string; readonly problems: readonly string[] } {
  const lost = indexes.filter((index) => !left.includes(index));
  return {
    figure: `${String(indexes.length)} indexes of the newer release, ${String(lost.length)} lost`,
    problems: [
      ...lost.map((index) => `the index ${index} is lost`),
      ...expected
        .filter((index) => !indexes.includes(index))
        .map((index) => `the newer release did not make ${index}`),
    ],
  };
}

const note = z.tuple([z.string(), z.string()]);

/** The note of each connection, by document id. */
export async function notesOf(namespace: Namespace): Promise<ReadonlyMap<string, string>> {
  const lines = await linesOf(namespace, LIST_NOTES);
  return new Map(lines.map((line) => note.parse(JSON.parse(line))));
}

/** The lines printed by a script in a pod. */
async function linesOf(namespace: Namespace, script: string): Promise<readonly string[]> {
  const program = `${CONNECT}${script}await mongo.close();`;
  const command = ['node', '--input-type=module', '--eval', program];
  const text = await namespace.kubectl(['exec', `deployment/${RELEASE}-connections`, '--', ...command]);
  return text.split('\n').filter(Boolean);
}
