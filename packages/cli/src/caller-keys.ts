import { join } from 'node:path';
import { serverConfigShape } from '@fairlead/service-kit/config';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { z } from 'zod';
import { readJson } from './instance.ts';

// The launcher owns the file; only the members that are needed here are read.
const secretsFile = z.object({ callerContextKeys: serverConfigShape.CALLER_CONTEXT_KEYS });

/**
 * The keys of caller contexts: CALLER_CONTEXT_KEYS, else the keys of the instance in `data`. Throws if there are none, or if they are not a
 * key ring.
 */
export async function findCallerKeys(
  environment: Readonly<Record<string, string | undefined>>,
  data: string,
): Promise<KeyRing> {
  const setting = environment['CALLER_CONTEXT_KEYS'];
  if (setting !== undefined && setting !== '') {
    const parsed = serverConfigShape.CALLER_CONTEXT_KEYS.safeParse(setting);
    if (!parsed.success) throw new Error(`CALLER_CONTEXT_KEYS: ${parsed.error.issues[0]?.message ?? ''}`);
    return parsed.data;
  }
  const secrets = secretsFile.safeParse(await readJson(join(data, 'secrets.json')));
  if (secrets.success) return secrets.data.callerContextKeys;
  throw new Error(
    `no keys: ${join(data, 'secrets.json')} holds none; set CALLER_CONTEXT_KEYS, or name the data folder with --data`,
  );
}
