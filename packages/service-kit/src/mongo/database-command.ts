import { parseArgs } from 'node:util';
import type { Db, MongoClient } from 'mongodb';
import type { z } from 'zod';
import { loadConfig } from '../config.ts';
import type { Secret } from '../secret.ts';
import { createLogger } from '../telemetry/logger.ts';
import type { Logger } from '../telemetry/logger.ts';
import { openDatabase } from './mongo.ts';

/** A command of a service that works on its database while the service may be running. */
export interface DatabaseCommand {
  readonly service: string;
  /** The service's own declaration of the two variables. */
  readonly config: z.ZodType<{ readonly MONGODB_URI: Secret; readonly MONGODB_DATABASE: string }>;
  readonly argv: readonly string[];
  readonly environment: Record<string, string | undefined>;
  readonly out: { write(text: string): unknown };
  readonly err: { write(text: string): unknown };
}

/** The arguments of a command: one word, and whether `--yes` confirms it. */
export interface CommandArguments {
  readonly action: string;
  readonly isConfirmed: boolean;
}

/** What a command works with. */
export interface CommandParts extends CommandArguments {
  readonly client: MongoClient;
  readonly db: Db;
  readonly log: Logger;
}

/**
 * Runs `work` on the service's database and prints the lines that it returns, the first one after the names of service and
 * database. Returns the exit code: 1 with a line on `err` if the usage is wrong, or the work throws.
 */
export async function runDatabaseCommand(
  o: DatabaseCommand,
  command: {
    readonly usage: string;
    accepts(given: CommandArguments): boolean;
    work(parts: CommandParts): Promise<readonly string[]>;
  },
): Promise<number> {
  try {
    const given = readArguments(o.argv, command.usage);
    if (!command.accepts(given)) throw new Error(command.usage);
    const { MONGODB_URI, MONGODB_DATABASE: database } = loadConfig(o.config, o.environment);
    const log = createLogger({ service: `${o.service}-command`, level: 'warn' });
    const { client, db } = await openDatabase({ uri: MONGODB_URI, database, log });
    try {
      const [first = '', ...rest] = await command.work({ ...given, client, db, log });
      o.out.write([`${o.service} (${database}): ${first}`, ...rest].map((line) => `${line}\n`).join(''));
    } finally {
      await client.close();
    }
    return 0;
  } catch (error) {
    o.err.write(`${o.service}: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

function readArguments(argv: readonly string[], usage: string): CommandArguments {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: { yes: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    return { action: positionals.join(' '), isConfirmed: values.yes };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : ''}\n${usage}`, { cause: error });
  }
}
