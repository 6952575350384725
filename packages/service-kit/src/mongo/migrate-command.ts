import { contractDatabase, planContraction } from './contract.ts';
import type { Contraction } from './contract.ts';
import { runDatabaseCommand } from './database-command.ts';
import type { CommandParts, DatabaseCommand } from './database-command.ts';
import { advanceSequences, planAdvances } from './restored.ts';
import type { DatabaseSchema } from './schema.ts';

interface MigrateCommand extends DatabaseCommand {
  readonly schema: DatabaseSchema;
  /** Further work on a restored database with `--yes`; returns the lines to print. */
  readonly restored?: (parts: CommandParts) => Promise<readonly string[]>;
}

const USAGE = 'usage: migrate contract [--yes] | migrate restored [--yes]';

/**
 * Works on a service's database and prints what it does, or would do with `--yes`. Returns the exit code: 1 with a line on
 * `err` if the usage is wrong, or it refuses or fails.
 *
 * - `migrate contract` removes what only earlier releases need, and prints indexes that this release does not know, and keeps them.
 * - `migrate restored` prepares a database that was restored from a backup, before services use it again.
 */
export function runMigrateCommand(o: MigrateCommand): Promise<number> {
  return runDatabaseCommand(o, {
    usage: USAGE,
    accepts: ({ action }) => action === 'contract' || action === 'restored',
    work: (parts) => (parts.action === 'contract' ? contract(o, parts) : prepareRestored(o, parts)),
  });
}

async function contract(
  { schema }: MigrateCommand,
  { db, log, isConfirmed }: CommandParts,
): Promise<readonly string[]> {
  const plan = await planContraction(db, schema);
  const lines = linesOf(plan);
  if (lines.length > 0 && isConfirmed) await contractDatabase(db, schema, log);
  const done = isConfirmed ? 'removed' : 'would remove, with --yes';
  const kept = plan.unknownIndexes.map(
    ({ collection, name }) => `  keeps index ${name} of ${collection}: this release does not know it`,
  );
  return [lines.length === 0 ? 'nothing to remove' : done, ...lines, ...kept];
}

async function prepareRestored(
  { restored }: MigrateCommand,
  parts: CommandParts,
): Promise<readonly string[]> {
  const advances = await planAdvances(parts.db);
  if (parts.isConfirmed) await advanceSequences(parts.db);
  const more = parts.isConfirmed && restored !== undefined ? await restored(parts) : [];
  return [
    parts.isConfirmed ? 'prepared after a restore' : 'would prepare after a restore, with --yes',
    ...advances.map(({ name, from, to }) => `  the sequence ${name} goes on after ${to} instead of ${from}`),
    ...more.map((line) => `  ${line}`),
  ];
}

function linesOf({ migrations, indexes }: Contraction): string[] {
  return [
    ...migrations.map(({ id }) => `  what migration ${id} removes`),
    ...indexes.map(({ collection, name }) => `  index ${name} of ${collection}`),
  ];
}
