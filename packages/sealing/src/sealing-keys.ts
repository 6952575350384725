import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import type { KeyRing } from '@fairlead/service-kit/key-ring';

/** The key-encryption keys that a service is configured with. At least one of `ring` and `kmsSocket` is given. */
export interface SealingKeys {
  readonly ring: KeyRing | undefined;
  /** Path of the Unix socket of a key management service. */
  readonly kmsSocket: string | undefined;
  /** The one that wraps new data keys. */
  readonly wrapsWith: 'ring' | 'kms';
}

/** No key of a ring is called `kms`. */
const KMS = /^kms:(.*)$/;

/**
 * Reads a key ring in which one entry may be `kms:<path of a socket>` instead of a key: `kms:/run/kms.sock,v1:<base64>`.
 * The first entry wraps. Throws an Error that names the entry but never contains a key.
 */
export function parseSealingKeys(text: string): SealingKeys {
  const entries = text.split(',').map((entry) => entry.trim());
  const sockets = entries.flatMap((entry) => KMS.exec(entry)?.[1] ?? []);
  const keys = entries.filter((entry) => !KMS.test(entry));
  if (sockets.length > 1) throw new Error('more than one kms: entry');
  if (sockets[0]?.startsWith('/') === false) throw new Error('kms: is not followed by the path of a socket');
  return {
    ring: keys.length === 0 ? undefined : parseKeyRing(keys.join(',')),
    kmsSocket: sockets[0],
    wrapsWith: KMS.test(entries[0] ?? '') ? 'kms' : 'ring',
  };
}
