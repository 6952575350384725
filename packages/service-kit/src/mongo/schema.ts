import { isDeepStrictEqual } from 'node:util';
import { MongoServerError } from 'mongodb';
import type { Db, Document, IndexDescription, IndexDescriptionInfo } from 'mongodb';
import type { Logger } from '../telemetry/logger.ts';
import { withDatabaseLock } from './lock.ts';
import type { CollectionDefinition } from './collection.ts';
import { DUPLICATE_KEY } from './write-errors.ts';

/** A change of stored documents that is made once per database. */
export interface Migration {
  /**
   * Unique and sortable, such as `2026-11-21-split-names`. Migrations run in the order of their list and are never
   * removed from it.
   */
  readonly id: string;
  /**
   * `expand` (the default) runs at the start of a service, while the previous release may be running: it adds, and
   * keeps everything that release reads. `contract` removes data that no running release reads, and is only run by
   * the command of that name.
   */
  readonly phase?: 'expand' | 'contract';
  /** Must be repeatable, because it starts again if a process dies in it. */
  up(db: Db): Promise<void>;
}

/** The database schema that a release of a service declares. */
export interface DatabaseSchema {
  readonly collections: readonly CollectionDefinition<Document>[];
  /** Default: none. */
  readonly migrations?: readonly Migration[];
}

interface AppliedMigration {
  readonly _id: string;
  readonly appliedAt: Date;
}

const MIGRATIONS = '_migrations';

/**
 * Adds the missing parts of the declared schema to the database: collections, then migrations, then indexes. Removes
 * and changes nothing, so releases with different schemas can run side by side. Does nothing if everything exists;
 * otherwise one process works under a lock and the others wait. Throws if an index exists with another definition,
 * unless a newer release changed it.
 */
export async function expandDatabase(db: Db, schema: DatabaseSchema, log: Logger): Promise<void> {
  if (await isExpanded(db, schema)) return;
  await withDatabaseLock(db, 'schema', log, async () => {
    await createCollections(db, schema, log);
    const { pending, unknown } = await migrationsOf(db, schema);
    for (const migration of pending.filter(isExpanding)) await runMigration(db, migration, log);
    for (const definition of schema.collections) {
      const { missing, different } = await compareIndexes(db, definition);
      if (different.length > 0) reportDifferent(definition, different, unknown, log);
      await createIndexes(db, definition, missing, log);
    }
  });
}

/** Whether everything declared exists as declared; other parts of the database do not matter. */
export async function isExpanded(db: Db, schema: DatabaseSchema): Promise<boolean> {
  const existing = await collectionNames(db);
  if (!schema.collections.every(({ name }) => existing.has(name))) return false;
  if ((await migrationsOf(db, schema)).pending.some(isExpanding)) return false;
  for (const definition of schema.collections) {
    const { missing, different } = await compareIndexes(db, definition);
    if (missing.length > 0 || different.length > 0) return false;
  }
  return true;
}

/** Whether a migration runs at the start of a service. */
export function isExpanding({ phase = 'expand' }: Migration): boolean {
  return phase === 'expand';
}

/** The pending migrations in order, and the ids of those that only another release knows. */
export async function migrationsOf(
  db: Db,
  { migrations = [] }: DatabaseSchema,
): Promise<{ readonly pending: readonly Migration[]; readonly unknown: readonly string[] }> {
  const applied = await db.collection<AppliedMigration>(MIGRATIONS).find().toArray();
  const done = new Set(applied.map(({ _id }) => _id));
  const known = new Set(migrations.map(({ id }) => id));
  return {
    pending: migrations.filter(({ id }) => !done.has(id)),
    unknown: [...done].filter((id) => !known.has(id)),
  };
}

/** Runs a migration and records that it ran. */
export async function runMigration(db: Db, migration: Migration, log: Logger): Promise<void> {
  log.info({ migration: migration.id }, 'running a migration');
  await migration.up(db);
  await db.collection<AppliedMigration>(MIGRATIONS).insertOne({ _id: migration.id, appliedAt: new Date() });
  log.info({ migration: migration.id }, 'ran a migration');
}

/** Differences of a collection's indexes from their declaration, except that of `_id`. */
export async function compareIndexes(
  db: Db,
  definition: CollectionDefinition<Document>,
): Promise<{
  readonly missing: CollectionDefinition<Document>['indexes'];
  /** Names of indexes that exist with another definition. */
  readonly different: readonly string[];
  /** Names of undeclared indexes. */
  readonly undeclared: readonly string[];
}> {
  const infos = await db.collection(definition.name).indexes();
  const existing = new Map(infos.map((info) => [info.name ?? '', info]));
  const declared = new Set(definition.indexes.map(({ name }) => name));
  return {
    missing: definition.indexes.filter(({ name }) => !existing.has(name)),
    different: definition.indexes.flatMap((index) => {
      const info = existing.get(index.name);
      return info === undefined || isDeepStrictEqual(normalize(index), normalize(info)) ? [] : [index.name];
    }),
    undeclared: [...existing.keys()].filter((name) => name !== '_id_' && !declared.has(name)),
  };
}

async function collectionNames(db: Db): Promise<Set<string>> {
  const found = await db.listCollections({}, { nameOnly: true }).toArray();
  return new Set(found.map(({ name }) => name));
}

async function createCollections(db: Db, schema: DatabaseSchema, log: Logger): Promise<void> {
  const existing = await collectionNames(db);
  for (const { name } of schema.collections) {
    if (existing.has(name)) continue;
    await db.createCollection(name);
    log.info({ collection: name }, 'created a collection');
  }
}

function reportDifferent(
  { name }: CollectionDefinition<Document>,
  indexes: readonly string[],
  unknownMigrations: readonly string[],
  log: Logger,
): void {
  if (unknownMigrations.length === 0) {
    throw new Error(
      `Collection ${name} has another index under a declared name: ${indexes.join(', ')}. An index that changes gets a new name, so that releases can run side by side (docs/operations.md).`,
    );
  }
  // A newer release runs here, or did. It owns the results of its migrations, and tolerates this release.
  log.warn({ collection: name, indexes, unknownMigrations }, 'left indexes that a newer release changed');
}

async function createIndexes(
  db: Db,
  { name }: CollectionDefinition<Document>,
  missing: CollectionDefinition<Document>['indexes'],
  log: Logger,
): Promise<void> {
  if (missing.length === 0) return;
  try {
    await db.collection(name).createIndexes(missing.map((index) => ({ ...index })));
  } catch (error) {
    throw describeIndexFailure(error, name);
  }
  log.info({ collection: name, indexes: missing.map((index) => index.name) }, 'created indexes');
}

const INDEX_OPTIONS_CONFLICT = 85;

function describeIndexFailure(error: unknown, collection: string): unknown {
  if (!(error instanceof MongoServerError)) return error;
  if (error.code === DUPLICATE_KEY)
    return new Error(
      `Collection ${collection} holds documents that its unique index does not allow: ${error.message}`,
      { cause: error },
    );
  if (error.code === INDEX_OPTIONS_CONFLICT)
    return new Error(
      `Collection ${collection} has an index that is too like a declared one to exist beside it (docs/operations.md): ${error.message}`,
      { cause: error },
    );
  return error;
}

// Members that the server adds, or that do not change the index.
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
    // `unique: false` and the like equal absence.
    ([name, value]) => !IGNORED_OPTIONS.has(name) && value !== undefined && value !== false,
  );
  // The order of fields is part of an index, so keys are compared as lists.
  return { key: key instanceof Map ? [...key] : Object.entries(key), options: Object.fromEntries(kept) };
}
