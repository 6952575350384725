import { isDeepStrictEqual } from 'node:util';
import { MongoServerError } from 'mongodb';
import type { Db, Document, IndexDescription, IndexDescriptionInfo } from 'mongodb';
import type { Logger } from '../telemetry/logger.ts';
import { withDatabaseLock } from './lock.ts';
import type { CollectionDefinition } from './mongo.ts';

/** A change of stored documents that runs once a database. */
export interface Migration {
  /** Unique and sortable, such as `2026-11-21-split-names`; migrations run in the order of their list. */
  readonly id: string;
  /** May run again from the start when a process dies in it, so it is written to be repeatable. */
  up(db: Db): Promise<void>;
}

interface Schema {
  readonly collections: readonly CollectionDefinition<Document>[];
  readonly migrations: readonly Migration[];
  readonly log: Logger;
}

interface AppliedMigration {
  readonly _id: string;
  readonly appliedAt: Date;
}

const MIGRATIONS = '_migrations';

/**
 * Makes the database as declared: collections, then migrations, then indexes. Does nothing when it is so already;
 * otherwise one process works under a lock and the others wait.
 */
export async function prepareDatabase(db: Db, schema: Schema): Promise<void> {
  if (await isAsDeclared(db, schema)) return;
  await withDatabaseLock(db, 'schema', schema.log, async () => {
    await createCollections(db, schema);
    await runMigrations(db, schema);
    for (const definition of schema.collections) await alignIndexes(db, definition, schema.log);
  });
}

async function isAsDeclared(db: Db, schema: Schema): Promise<boolean> {
  const existing = await collectionNames(db);
  if (!schema.collections.every(({ name }) => existing.has(name))) return false;
  if ((await pendingMigrations(db, schema)).length > 0) return false;
  for (const definition of schema.collections) {
    const { create, drop } = indexChanges(definition, await actualIndexes(db, definition.name));
    if (create.length > 0 || drop.length > 0) return false;
  }
  return true;
}

async function collectionNames(db: Db): Promise<Set<string>> {
  const found = await db.listCollections({}, { nameOnly: true }).toArray();
  return new Set(found.map(({ name }) => name));
}

async function createCollections(db: Db, schema: Schema): Promise<void> {
  const existing = await collectionNames(db);
  for (const { name } of schema.collections) {
    if (existing.has(name)) continue;
    await db.createCollection(name);
    schema.log.info({ collection: name }, 'created a collection');
  }
}

async function pendingMigrations(db: Db, schema: Schema): Promise<Migration[]> {
  const applied = await db.collection<AppliedMigration>(MIGRATIONS).find().toArray();
  const done = new Set(applied.map(({ _id }) => _id));
  return schema.migrations.filter(({ id }) => !done.has(id));
}

async function runMigrations(db: Db, schema: Schema): Promise<void> {
  for (const migration of await pendingMigrations(db, schema)) {
    schema.log.info({ migration: migration.id }, 'running a migration');
    await migration.up(db);
    await db.collection<AppliedMigration>(MIGRATIONS).insertOne({ _id: migration.id, appliedAt: new Date() });
    schema.log.info({ migration: migration.id }, 'ran a migration');
  }
}

function actualIndexes(db: Db, collection: string): Promise<IndexDescriptionInfo[]> {
  return db.collection(collection).indexes();
}

/** Drops what is not declared or differs, then creates what is missing. */
async function alignIndexes(db: Db, definition: CollectionDefinition<Document>, log: Logger): Promise<void> {
  const { create, drop } = indexChanges(definition, await actualIndexes(db, definition.name));
  const collection = db.collection(definition.name);
  for (const name of drop) {
    await collection.dropIndex(name);
    log.warn({ collection: definition.name, index: name }, 'dropped an index that is not declared');
  }
  if (create.length === 0) return;
  try {
    await collection.createIndexes(create.map((index) => ({ ...index })));
  } catch (error) {
    throw describeIndexFailure(error, definition.name);
  }
  log.info({ collection: definition.name, indexes: create.map(({ name }) => name) }, 'created indexes');
}

function describeIndexFailure(error: unknown, collection: string): unknown {
  if (!(error instanceof MongoServerError) || error.code !== 11_000) return error;
  return new Error(
    `Collection ${collection} holds documents that its unique index does not allow: ${error.message}`,
    {
      cause: error,
    },
  );
}

function indexChanges(definition: CollectionDefinition<Document>, actual: readonly IndexDescriptionInfo[]) {
  const declared = new Map(definition.indexes.map((index) => [index.name, normalize(index)]));
  const existing = new Map(
    actual.flatMap((info) => (info.name === undefined ? [] : [[info.name, info] as const])),
  );
  const isSame = (name: string): boolean => {
    const info = existing.get(name);
    return info !== undefined && isDeepStrictEqual(declared.get(name), normalize(info));
  };
  return {
    create: definition.indexes.filter(({ name }) => !isSame(name)),
    drop: [...existing.keys()].filter((name) => name !== '_id_' && !isSame(name)),
  };
}

// What the server adds on its own, or what does not change the index.
const IGNORED_OPTIONS: ReadonlySet<string> = new Set([
  'v',
  'ns',
  'background',
  'textIndexVersion',
  '2dsphereIndexVersion',
]);

function normalize(index: IndexDescription | IndexDescriptionInfo): unknown {
  const { key, ...options } = index;
  const kept = Object.entries(options).filter(
    // `unique: false` and its like are the same as nothing.
    ([name, value]) => !IGNORED_OPTIONS.has(name) && value !== undefined && value !== false,
  );
  // The order of the fields is part of an index, so the key is compared as a list.
  return { key: key instanceof Map ? [...key] : Object.entries(key), options: Object.fromEntries(kept) };
}
