import { resolve } from 'node:path';
import { CALLER_HEADER, signCaller } from '@fairlead/service-kit/context/caller-token';
import { findCallerKeys } from '../caller-keys.ts';
import { CliError, EXIT_CODES } from '../failure.ts';
import { findInstance } from '../instance.ts';
import type { Instance } from '../instance.ts';
import type { World } from '../world.ts';

/** The options of `fairlead context`. */
export interface ContextOptions {
  /** The service to call. */
  readonly for: string;
  readonly account?: string;
  readonly user?: string;
  readonly data?: string;
}

/** The default user, who appears in the history. */
const DEFAULT_USER = 'fairlead-cli';

/** Prints the header with a signed caller context, and how to use it. Throws if keys, account or service cannot be found. */
export async function printContext(options: ContextOptions, world: World): Promise<void> {
  const data = resolve(world.cwd, options.data ?? world.defaultData);
  const keys = await findCallerKeys(world.environment, data);
  const instance = await findInstance(data);
  const address = addressOf(options.for, instance);
  const accountId = options.account ?? instance?.accountId;
  if (accountId === undefined) {
    const message = `no instance runs on ${data}, so --account is required`;
    throw new CliError(EXIT_CODES.failed, message);
  }
  const caller = {
    kind: 'user',
    accountId,
    userId: options.user ?? DEFAULT_USER,
    roles: ['owner'],
    permissions: [],
  } as const;
  const token = signCaller(caller, { audience: options.for, keys }, world.now());
  world.out.write(`${CALLER_HEADER}: ${token}\n`);
  world.err.write(hint(address, options));
}

/** The service's gRPC address; a placeholder if no instance is running. */
function addressOf(service: string, instance: Instance | undefined): string {
  if (instance === undefined) return 'HOST:GRPC_PORT';
  const url = instance.grpcUrls[service];
  if (url !== undefined) return new URL(url).host;
  const known = Object.keys(instance.grpcUrls).join(', ');
  throw new CliError(EXIT_CODES.usage, `no service is called ${service}; --for takes one of ${known}`);
}

function hint(address: string, { for: service, account, user, data }: ContextOptions): string {
  const facts = [
    '--for',
    service,
    ...(account === undefined ? [] : ['--account', account]),
    ...(user === undefined ? [] : ['--user', user]),
    ...(data === undefined ? [] : ['--data', data]),
  ];
  const header = `-H "$(npx fairlead ${['context', ...facts].map(quote).join(' ')})"`;
  const method = `fairlead.${service}.v1.SERVICE/METHOD`;
  return `Good for 60 s, at ${service} only. Its methods, and a call of one:
  grpcurl -plaintext ${address} list
  npx buf curl --protocol grpc --http2-prior-knowledge ${header} -d '{}' http://${address}/${method}
  grpcurl -plaintext ${header} -d '{}' ${address} ${method}
`;
}

/** Quotes text for a shell if needed. */
function quote(word: string): string {
  return /^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
