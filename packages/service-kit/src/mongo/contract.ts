import type { Db } from 'mongodb';
import type { Logger } from '../telemetry/logger.ts';
import { withDatabaseLock } from './lock.ts';
import { compareIndexes, isExpanded, isExpanding, migrationsOf, runMigration } from './schema.ts';
import type { DatabaseSchema, Migration } from './schema.ts';

/** The plan for contracting a database: migrations to run and indexes to drop. */
export interface Contraction {
  /** Pending migrations of the phase `contract`. */
  readonly migrations: readonly Migration[];
  /** Indexes that the schema names as removed. */
  readonly indexes: readonly IndexOfCollection[];
  /** Indexes that the schema does not mention. They are kept, because a newer release or an operator created them. */
  readonly unknownIndexes: readonly IndexOfCollection[];
}

interface IndexOfCollection {
  readonly collection: string;
  readonly name: string;
}

/**
 * The plan of `contractDatabase`. Throws if the database has migrations of a newer release, or lacks parts that this
 * release declares, because this release does not know the needs of another one. A newer release without a migration
 * is not detected, and loses nothing: only parts that this release names are removed.
 */
export async function planContraction(db: Db, schema: DatabaseSchema): Promise<Contraction> {
  const { pending, unknown } = await migrationsOf(db, schema);
  if (unknown.length > 0)
    throw new Error(
      `A newer release ran migrations that this one does not know: ${unknown.join(', ')}. Contract with that release.`,
    );
  if (!(await isExpanded(db, schema)))
    throw new Error('The database lacks what this release declares. Start the release first.');
  const indexes: IndexOfCollection[] = [];
  const unknownIndexes: IndexOfCollection[] = [];
  for (const definition of schema.collections) {
    const { undeclared } = await compareIndexes(db, definition);
    for (const name of undeclared) {
      const list = definition.removedIndexes.includes(name) ? indexes : unknownIndexes;
      list.push({ collection: definition.name, name });
    }
  }
  return { migrations: pending.filter((migration) => !isExpanding(migration)), indexes, unknownIndexes };
}

/**
 * Contracts a database: runs the pending migrations of the phase `contract`, then drops removed indexes, under the
 * lock of `expandDatabase`. No process of an earlier release may be running.
 */
export async function contractDatabase(db: Db, schema: DatabaseSchema, log: Logger): Promise<void> {
  await withDatabaseLock(db, 'schema', log, async () => {
    // Planned again, because the lock was not held when the caller got the plan.
    const { migrations, indexes } = await planContraction(db, schema);
    for (const migration of migrations) await runMigration(db, migration, log);
    for (const { collection, name } of indexes) {
      await db.collection(collection).dropIndex(name);
      log.info({ collection, index: name }, 'dropped a removed index');
    }
  });
}
