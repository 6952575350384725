import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { loadConfig } from '../config.ts';
import type { Secret } from '../secret.ts';
import { createLogger } from '../telemetry/logger.ts';
import { contractDatabase, planContraction } from './contract.ts';
import type { Contraction } from './contract.ts';
import { openDatabase } from './mongo.ts';
import type { DatabaseSchema } from './schema.ts';

const USAGE = 'usage: migrate contract [--yes]';

interface ContractCommand {
  readonly service: string;
  /** The service's own declaration of the two variables. */
  readonly config: z.ZodType<{ readonly MONGODB_URI: Secret; readonly MONGODB_DATABASE: string }>;
  readonly schema: DatabaseSchema;
  readonly argv: readonly string[];
  readonly environment: Record<string, string | undefined>;
  readonly out: { write(text: string): unknown };
  readonly err: { write(text: string): unknown };
}

/**
 * `migrate contract [--yes]` of a service: prints what this release removes from its database, and removes it with `--yes`; prints
 * indexes that this release does not know, and keeps them. Returns the exit code: 1 with a line on `err` if the usage is wrong, or it refuses or fails.
 */
export async function runContractCommand(o: ContractCommand): Promise<number> {
  try {
    await contract(o);
    return 0;
  } catch (error) {
    o.err.write(`${o.service}: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

async function contract(o: ContractCommand): Promise<void> {
  const isConfirmed = readArguments(o.argv);
  const { MONGODB_URI, MONGODB_DATABASE } = loadConfig(o.config, o.environment);
  const log = createLogger({ service: `${o.service}-migrate`, level: 'warn' });
  const { client, db } = await openDatabase({ uri: MONGODB_URI, database: MONGODB_DATABASE, log });
  try {
    const plan = await planContraction(db, o.schema);
    const lines = linesOf(plan);
    if (lines.length > 0 && isConfirmed) await contractDatabase(db, o.schema, log);
    const done = isConfirmed ? 'removed' : 'would remove, with --yes';
    const said = lines.length === 0 ? 'nothing to remove' : done;
    const kept = plan.unknownIndexes.map(
      ({ collection, name }) => `  keeps index ${name} of ${collection}: this release does not know it`,
    );
    const heading = `${o.service} (${MONGODB_DATABASE}): ${said}`;
    o.out.write([heading, ...lines, ...kept].map((line) => `${line}\n`).join(''));
  } finally {
    await client.close();
  }
}

function readArguments(argv: readonly string[]): boolean {
  const { values, positionals } = parse(argv);
  if (positionals.length !== 1 || positionals[0] !== 'contract') throw new Error(USAGE);
  return values.yes;
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: { yes: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : ''}\n${USAGE}`, { cause: error });
  }
}

function linesOf({ migrations, indexes }: Contraction): string[] {
  return [
    ...migrations.map(({ id }) => `  what migration ${id} removes`),
    ...indexes.map(({ collection, name }) => `  index ${name} of ${collection}`),
  ];
}
