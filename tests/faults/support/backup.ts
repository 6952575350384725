import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Document, MongoClient } from 'mongodb';
import { inject } from 'vitest';
import { processOf } from './processes.ts';

/** A database's documents by collection, read during writes. */
type Backup = ReadonlyMap<string, readonly Document[]>;

/** The databases of the services. */
export async function databasesOf(mongo: MongoClient): Promise<readonly string[]> {
  const { databases } = await mongo.db('admin').admin().listDatabases({ nameOnly: true });
  return databases.map(({ name }) => name).filter((name) => name.startsWith('fairlead_'));
}

/** Copies a database like mongodump: one collection after another, not at a common time. */
export async function copyDatabase(mongo: MongoClient, name: string): Promise<Backup> {
  const db = mongo.db(name);
  const copies = new Map<string, readonly Document[]>();
  for (const collection of await collectionsOf(mongo, name)) {
    // With BSON types, so that numbers are restored exactly.
    const documents = await db.collection(collection).find({}, { promoteValues: false }).toArray();
    copies.set(collection, documents);
  }
  return copies;
}

/** Replaces a database's documents by those of a backup. */
export async function restoreDatabase(mongo: MongoClient, name: string, backup: Backup): Promise<void> {
  const db = mongo.db(name);
  for (const collection of await collectionsOf(mongo, name)) {
    await db.collection(collection).deleteMany({});
    const documents = backup.get(collection) ?? [];
    if (documents.length > 0)
      await db.collection(collection).insertMany([...documents], { bypassDocumentValidation: true });
  }
}

async function collectionsOf(mongo: MongoClient, name: string): Promise<readonly string[]> {
  const found = await mongo.db(name).listCollections({ type: 'collection' }, { nameOnly: true }).toArray();
  return found.map((each) => each.name).filter((each) => !each.startsWith('system.'));
}

const MIGRATE = fileURLToPath(new URL('../../../tools/launcher/src/migrate.ts', import.meta.url));

/** Prepares all restored databases as docs/production.md describes; returns the output. */
export async function prepareRestored(): Promise<string> {
  const child = spawn(process.execPath, [MIGRATE, 'restored', '--yes'], {
    env: { ...process.env, MONGODB_URI: inject('stack').mongodbUri },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`migrate restored ended with ${code}: ${output}`);
  return output;
}

/** Folder in which nats-server keeps its streams. */
export function streamsFolder(): string {
  const command = readFileSync(`/proc/${processOf(inject('stack'), 'nats-server\0')}/cmdline`, 'utf8');
  const [, config = ''] = /\0--config\0([^\0]+)/.exec(command) ?? [];
  const [, folder] = /store_dir: "([^"]+)"/.exec(readFileSync(config, 'utf8')) ?? [];
  if (folder === undefined) throw new Error('nats-server has no folder of streams.');
  return folder;
}
