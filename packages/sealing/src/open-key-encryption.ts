import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { KeyEncryption } from './key-encryption.ts';
import { KMS_PREFIX, openKmsKeyEncryption } from './kms-key-encryption.ts';
import { ringKeyEncryption } from './ring-key-encryption.ts';
import type { SealingKeys } from './sealing-keys.ts';

/**
 * The configured key-encryption keys: any of them unwraps the keys that it wrapped. Rejects if the key management service does not answer.
 */
export async function openKeyEncryption(
  { ring, kmsSocket, wrapsWith }: SealingKeys,
  log: Logger,
): Promise<KeyEncryption & { close(): Promise<void> }> {
  const ofRing = ringKeyEncryption(ring ?? { current: '', keys: new Map() });
  if (kmsSocket === undefined) return { ...ofRing, close: () => Promise.resolve() };
  const ofKms = await openKmsKeyEncryption({ socketPath: kmsSocket, log });
  const wrapping = wrapsWith === 'kms' ? ofKms : ofRing;
  return {
    current: () => wrapping.current(),
    wrap: (binding, key) => wrapping.wrap(binding, key),
    unwrap: (binding, key) => (key.wrappedWith.startsWith(KMS_PREFIX) ? ofKms : ofRing).unwrap(binding, key),
    close: () => ofKms.close(),
  };
}
