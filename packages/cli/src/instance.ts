import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serverConfigShape } from '@fairlead/service-kit/config';
import type { Secret } from '@fairlead/service-kit/secret';
import { z } from 'zod';

// The launcher owns these files; only what is needed here is read.
const secretsFile = z.object({ callerContextKey: serverConfigShape.CALLER_CONTEXT_KEY });
const devFile = z.object({
  account: z.object({ accountId: z.string() }),
  grpc: z.object({ catalog: z.url() }),
});

/** A running development instance. */
export interface Instance {
  readonly accountId: string;
  readonly catalogGrpcUrl: string;
}

/** The key that signs caller contexts: CALLER_CONTEXT_KEY, else that of the instance in `data`. Throws where neither is. */
export async function findCallerKey(
  environment: Readonly<Record<string, string | undefined>>,
  data: string,
): Promise<Secret> {
  const given = environment['CALLER_CONTEXT_KEY'];
  if (given !== undefined && given !== '') {
    const parsed = serverConfigShape.CALLER_CONTEXT_KEY.safeParse(given);
    if (!parsed.success) throw new Error('CALLER_CONTEXT_KEY: expected base64 of at least 32 bytes');
    return parsed.data;
  }
  const secrets = secretsFile.safeParse(await readJson(join(data, 'secrets.json')));
  if (secrets.success) return secrets.data.callerContextKey;
  throw new Error(
    `no key: ${join(data, 'secrets.json')} holds none; set CALLER_CONTEXT_KEY, or name the data folder with --data`,
  );
}

/** The instance that runs on the data folder, if one does. */
export async function findInstance(data: string): Promise<Instance | undefined> {
  const dev = devFile.safeParse(await readJson(join(data, 'dev.json')));
  if (!dev.success) return undefined;
  return { accountId: dev.data.account.accountId, catalogGrpcUrl: dev.data.grpc.catalog };
}

/** The content of a file, or undefined where it cannot be read or is not JSON. */
async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}
