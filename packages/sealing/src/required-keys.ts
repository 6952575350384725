import { ConfigError } from '@fairlead/service-kit/config';
import { unwrapDataKey } from './scope-keys.ts';
import type { DataKeyStore } from './data-keys.ts';
import { throwIfUnavailable } from './key-encryption.ts';
import type { KeyEncryption } from './key-encryption.ts';

/** How many data keys of each key-encryption key are tried: one damaged document does not keep a service from starting. */
const SAMPLE = 5;

/**
 * Throws a ConfigError unless every key-encryption key that wraps a data key is configured and correct. The error lists each one that is
 * not, with the number of data keys that need it and some of their scopes.
 */
export async function requireKeysInUse(store: DataKeyStore, encryption: KeyEncryption): Promise<void> {
  const problems: string[] = [];
  for (const name of await store.wrappingKeys()) {
    const sample = await store.listWrappedWith(name, '', SAMPLE);
    const attempts = await Promise.allSettled(sample.map((record) => unwrapDataKey(encryption, record)));
    throwIfUnavailable(attempts.map((attempt): unknown => attempt.status === 'rejected' && attempt.reason));
    // An empty sample: the last such data key was rewrapped meanwhile.
    if (sample.length === 0 || attempts.some(({ status }) => status === 'fulfilled')) continue;
    const count = await store.countWrappedWith(name);
    const [reason] = attempts.map((attempt): unknown => attempt.status === 'rejected' && attempt.reason);
    const scopes = sample.map(({ scope }) => scope).join(', ');
    problems.push(
      `SEALING_KEYS: ${count} data keys need the key ${name}, among them those of ${scopes}: ${messageOf(reason)}`,
    );
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
