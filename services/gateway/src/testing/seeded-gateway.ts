import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { SERVICE_NAMES, addressVariable } from '@fairlead/service-list/services';
import type { SeedSecrets } from 'CROSS:services/identity/src/use-cases/seed-account.ts';

/** What the seed command leaves in its file. */
export interface SeededAccounts {
  readonly account: SeedSecrets;
  readonly otherAccount: SeedSecrets;
}

/** The environment of a gateway on a database of its own, whose services are unreachable. It stops at once. */
export function gatewayEnvironment(stores: {
  readonly mongodbUri: string;
  readonly natsUrl: string;
}): Readonly<Record<string, string>> & { readonly MONGODB_DATABASE: string } {
  return {
    MONGODB_URI: stores.mongodbUri,
    MONGODB_DATABASE: `test_${randomBase62(16)}`,
    NATS_URL: stores.natsUrl,
    CALLER_CONTEXT_KEYS: `v1:${Buffer.alloc(32, 7).toString('base64')}`,
    SEALING_KEYS: `v1:${Buffer.alloc(32, 8).toString('base64')}`,
    // Port 1 is never listened on.
    ...Object.fromEntries(SERVICE_NAMES.map((name) => [addressVariable(name), 'http://127.0.0.1:1'])),
    PUBLIC_URL: 'http://127.0.0.1:8080/',
    LOG_LEVEL: 'silent',
    DRAIN_DELAY_MS: '0',
  };
}

/** Runs the seed command of that environment and reads what it left in `file`. */
export async function seed(
  environment: Readonly<Record<string, string>>,
  file: string,
): Promise<SeededAccounts> {
  const script = fileURLToPath(new URL('../seed.ts', import.meta.url));
  const command = spawn(process.execPath, [script, '--file', file], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(command, 'exit');
  return JSON.parse(await readFile(file, 'utf8')) as SeededAccounts; // the seed command's own shape
}
