import { newSecrets, secretsSchema } from '@fairlead/instance-secrets/secrets';
import type { Secrets } from '@fairlead/instance-secrets/secrets';
import { readJson, writePrivateJson } from './json-file.ts';

/**
 * The stored secrets of an instance, generated at its first start: stored credentials can only be read with the same keys. Secrets that an
 * older instance lacks are added.
 */
export async function openSecrets(file: string): Promise<Secrets> {
  const kept = await readJson(file);
  const secrets = secretsSchema.parse({ ...newSecrets(), ...(kept as object | undefined) });
  if (JSON.stringify(kept) !== JSON.stringify(secrets)) await writePrivateJson(file, secrets);
  return secrets;
}
