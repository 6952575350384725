import { resolve } from 'node:path';
import { CALLER_HEADER, signCaller } from '@fairlead/service-kit/context/context';
import { findCallerKey } from '../caller-key.ts';
import { CliError, EXIT_CODES } from '../failure.ts';
import { findInstance } from '../instance.ts';
import type { World } from '../world.ts';
import { DEFAULT_USER } from './context.ts';
import type { ContextOptions } from './context.ts';

/** Prints the header with a signed caller, and how to use it. Throws where key or account cannot be found. */
export async function printContext(options: ContextOptions, world: World): Promise<void> {
  const data = resolve(world.cwd, options.data ?? world.defaultData);
  const key = await findCallerKey(world.environment, data);
  const instance = await findInstance(data);
  const accountId = options.account ?? instance?.accountId;
  if (accountId === undefined) {
    const message = `no instance runs on ${data}, so --account has to say on whose behalf`;
    throw new CliError(EXIT_CODES.failed, message);
  }
  const caller = {
    kind: 'user',
    accountId,
    userId: options.user,
    roles: ['owner'],
    permissions: [],
  } as const;
  world.out.write(`${CALLER_HEADER}: ${signCaller(caller, key, world.now())}\n`);
  const address = instance === undefined ? 'HOST:GRPC_PORT' : new URL(instance.catalogGrpcUrl).host;
  world.err.write(hint(address, options));
}

function hint(address: string, { account, user, data }: ContextOptions): string {
  const given = [
    ...(account === undefined ? [] : ['--account', account]),
    ...(user === DEFAULT_USER ? [] : ['--user', user]),
    ...(data === undefined ? [] : ['--data', data]),
  ];
  const header = `-H "$(npx fairlead ${['context', ...given].map(quote).join(' ')})"`;
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
