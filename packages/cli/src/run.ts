import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CALLER_HEADER, signCaller } from '@fairlead/service-kit/context';
import { findCallerKey, findInstance } from './instance.ts';

/** What a command has of the world. */
export interface World {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The data folder of `npm start` unless `--data` names another. */
  readonly defaultData: string;
  readonly out: { write(text: string): unknown };
  readonly err: { write(text: string): unknown };
}

const USAGE = `Usage: fairlead context [options]

Prints the header with which one calls the services directly, over Connect or gRPC. It is good for 60 seconds.

Options:
  --account ID  On behalf of this account (default: the one that npm start made).
  --user ID     As this user of it (default: fairlead-cli).
  --data DIR    Data folder of the instance (default: .fairlead in the checkout).
  --help        Show this text.

Environment:
  CALLER_CONTEXT_KEY  The key of the installation (default: the instance's own, from its data folder).
`;

const DEFAULT_USER = 'fairlead-cli';

/** Runs one command line; answers the exit code: 0 done, 1 it cannot be done, 2 it was called wrongly. */
export async function run(argv: readonly string[], world: World): Promise<number> {
  const options = parse(argv);
  if (typeof options === 'string') {
    world.err.write(`fairlead: ${options}\n\n${USAGE}`);
    return 2;
  }
  if (options.help === true) {
    world.out.write(USAGE);
    return 0;
  }
  try {
    await printContext(options, world, argv);
    return 0;
  } catch (error) {
    world.err.write(`fairlead: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

interface Options {
  readonly account?: string;
  readonly user?: string;
  readonly data?: string;
  readonly help?: boolean;
}

function parse(argv: readonly string[]): Options | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        account: { type: 'string' },
        user: { type: 'string' },
        data: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) return values;
    const [command, ...rest] = positionals;
    if (command === undefined) return 'expected a command';
    if (command !== 'context' || rest.length > 0) return `unknown command: ${positionals.join(' ')}`;
    const blank = (['account', 'user', 'data'] as const).find((name) => values[name] === '');
    return blank === undefined ? values : `--${blank} expects a value`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function printContext(options: Options, world: World, argv: readonly string[]): Promise<void> {
  const data = resolve(world.cwd, options.data ?? world.defaultData);
  const key = await findCallerKey(world.environment, data);
  const instance = await findInstance(data);
  const accountId = options.account ?? instance?.accountId;
  if (accountId === undefined) {
    throw new Error(`no instance runs on ${data}, so --account has to say on whose behalf`);
  }
  const caller = {
    kind: 'user',
    accountId,
    userId: options.user ?? DEFAULT_USER,
    roles: ['owner'],
    permissions: [],
  } as const;
  world.out.write(`${CALLER_HEADER}: ${signCaller(caller, key, new Date())}\n`);
  world.err.write(
    hint(instance === undefined ? 'HOST:GRPC_PORT' : new URL(instance.catalogGrpcUrl).host, argv),
  );
}

function hint(address: string, argv: readonly string[]): string {
  const header = `-H "$(npx fairlead ${argv.map(quote).join(' ')})"`;
  const method = 'fairlead.catalog.v1.ApplicationService/ListApplications';
  return `Good for 60 s. For example:
  npx buf curl --protocol grpc --http2-prior-knowledge ${header} -d '{}' http://${address}/${method}
  grpcurl -plaintext ${header} -d '{}' ${address} ${method}
`;
}

/** For a shell, where it is needed. */
function quote(word: string): string {
  return /^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
