import { parseArgs } from 'node:util';
import type { Db, MongoClient } from 'mongodb';
import { z } from 'zod';
import { loadConfig } from '../config.ts';
import type { Secret } from '../secret.ts';
import { createLogger } from '../telemetry/logger.ts';
import type { Logger } from '../telemetry/logger.ts';
import { openDatabase } from './mongo.ts';

/** A command on a service's database, which may run while the service runs. */
export interface DatabaseCommand {
  readonly service: string;
  /** The service's configuration, two variables of which the command reads. */
  readonly config: {
    readonly shape: {
      readonly MONGODB_URI: z.ZodType<Secret>;
      readonly MONGODB_DATABASE: z.ZodType<string>;
    };
  };
  /** Output; default: this process. */
  readonly process?: {
    readonly argv: readonly string[];
    readonly env: Record<string, string | undefined>;
    readonly stdout: { write(text: string): unknown };
    readonly stderr: { write(text: string): unknown };
  };
}

/** The arguments: one word, and whether `--yes` confirms it. */
export interface CommandArguments {
  readonly action: string;
  readonly isConfirmed: boolean;
}

/** The arguments and resources of a command. */
export interface CommandParts extends CommandArguments {
  readonly client: MongoClient;
  readonly db: Db;
  readonly log: Logger;
}

/**
 * Runs `work` on the service's database and prints its lines, the first one after the names of service and database.
 * Returns the exit code: 1 with a line on `err` if the usage is wrong, or the work throws.
 */
export async function runDatabaseCommand(
  o: DatabaseCommand,
  command: {
    readonly usage: string;
    accepts(arguments_: CommandArguments): boolean;
    work(parts: CommandParts): Promise<readonly string[]>;
  },
): Promise<number> {
  const { argv, env, stdout, stderr } = o.process ?? process;
  try {
    const args = readArguments(argv.slice(2), command.usage);
    if (!command.accepts(args)) throw new Error(command.usage);
    const { MONGODB_URI: uri, MONGODB_DATABASE: database } = loadConfig(variablesOf(o), env);
    const log = createLogger({ service: `${o.service}-command`, level: 'warn' });
    const { client, db } = await openDatabase({ uri, database, log });
    try {
      const [first = '', ...rest] = await command.work({ ...args, client, db, log });
      stdout.write([`${o.service} (${database}): ${first}`, ...rest].map((line) => `${line}\n`).join(''));
    } finally {
      await client.close();
    }
    return 0;
  } catch (error) {
    stderr.write(`${o.service}: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

function variablesOf({ config: { shape } }: DatabaseCommand) {
  return z.object({ MONGODB_URI: shape.MONGODB_URI, MONGODB_DATABASE: shape.MONGODB_DATABASE });
}

function readArguments(argv: string[], usage: string): CommandArguments {
  try {
    const { values, positionals } = parseArgs({
      args: argv,
      options: { yes: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    return { action: positionals.join(' '), isConfirmed: values.yes };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : ''}\n${usage}`, { cause: error });
  }
}
