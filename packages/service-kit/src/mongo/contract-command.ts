import { contractDatabase, planContraction } from './contract.ts';
import type { Contraction } from './contract.ts';
import { runDatabaseCommand } from './database-command.ts';
import type { DatabaseCommand } from './database-command.ts';
import type { DatabaseSchema } from './schema.ts';

/**
 * `migrate contract [--yes]` of a service: prints what this release removes from its database, and removes it with `--yes`; prints
 * indexes that this release does not know, and keeps them. Returns the exit code: 1 with a line on `err` if the usage is wrong, or it refuses or fails.
 */
export function runContractCommand(
  o: DatabaseCommand & { readonly schema: DatabaseSchema },
): Promise<number> {
  return runDatabaseCommand(o, {
    usage: 'usage: migrate contract [--yes]',
    accepts: ({ action }) => action === 'contract',
    async work({ db, log, isConfirmed }) {
      const plan = await planContraction(db, o.schema);
      const lines = linesOf(plan);
      if (lines.length > 0 && isConfirmed) await contractDatabase(db, o.schema, log);
      const done = isConfirmed ? 'removed' : 'would remove, with --yes';
      const kept = plan.unknownIndexes.map(
        ({ collection, name }) => `  keeps index ${name} of ${collection}: this release does not know it`,
      );
      return [lines.length === 0 ? 'nothing to remove' : done, ...lines, ...kept];
    },
  });
}

function linesOf({ migrations, indexes }: Contraction): string[] {
  return [
    ...migrations.map(({ id }) => `  what migration ${id} removes`),
    ...indexes.map(({ collection, name }) => `  index ${name} of ${collection}`),
  ];
}
