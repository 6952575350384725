import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BSON, MongoClient } from 'mongodb';
import type { DevStack } from '../../setup/dev-stack.ts';
import { receivedText } from './collector.ts';
import type { Evidence } from './search.ts';

/** All log files of a stack: of services, other children of its launcher, and stores. */
export async function logs(data: string): Promise<Evidence[]> {
  const folder = join(data, 'logs');
  const names = await readdir(folder, { recursive: true });
  return Promise.all(
    names.map(async (name) => ({ place: `log ${name}`, bytes: await readFile(join(folder, name)) })),
  );
}

/** The metrics page of every service. */
export async function metricPages(stack: DevStack): Promise<Evidence[]> {
  return Promise.all(
    Object.entries(stack.admin).map(async ([service, url]) => ({
      place: `metrics of ${service}`,
      bytes: Buffer.from(await (await fetch(`${url}/metrics`)).arrayBuffer()),
    })),
  );
}

/** All spans sent by the stack. */
export async function spans(collectorUrl: string): Promise<Evidence[]> {
  return [{ place: 'spans', bytes: Buffer.from(await receivedText(collectorUrl)) }];
}

/** All documents of all databases, including the replication log, as stored bytes. */
export async function documents(mongodbUri: string): Promise<Evidence[]> {
  const client = new MongoClient(mongodbUri);
  try {
    const { databases } = await client.db('admin').admin().listDatabases();
    const evidence: Evidence[] = [];
    for (const { name } of databases) {
      const database = client.db(name);
      const collections = await database
        .listCollections({ type: 'collection' }, { nameOnly: true })
        .toArray();
      for (const { name: collection } of collections) {
        const found = await database.collection(collection).find().toArray();
        const bytes = Buffer.concat(found.map((document) => BSON.serialize(document)));
        evidence.push({ place: `collection ${name}.${collection} (${found.length} documents)`, bytes });
      }
    }
    return evidence;
  } finally {
    await client.close();
  }
}
