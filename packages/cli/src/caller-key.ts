import { join } from 'node:path';
import { serverConfigShape } from '@fairlead/service-kit/config';
import type { Secret } from '@fairlead/service-kit/secret';
import { z } from 'zod';
import { readJson } from './instance.ts';

// The launcher owns the file; only what is needed here is read.
const secretsFile = z.object({ callerContextKey: serverConfigShape.CALLER_CONTEXT_KEY });

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
