import { createHmac } from 'node:crypto';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import type { Secret } from '@fairlead/service-kit/secret';
import type { CallFingerprints } from '../ports/call-fingerprints.ts';

/** Prefix that separates fingerprints from everything else signed with these keys. */
const PURPOSE = 'fairlead approval\n';

/** Fingerprints use a key (HMAC), because inputs may contain short secrets that could be guessed from a plain hash. */
export function createCallFingerprints({ current, keys }: KeyRing): CallFingerprints {
  const fingerprint = (key: Secret<Uint8Array>, text: string): string =>
    createHmac('sha256', key.reveal()).update(PURPOSE).update(text).digest('base64url');
  const currentKey = keys.get(current);
  if (currentKey === undefined) throw new Error('The key ring has no current key.');
  const formerKeys = [...keys.entries()].filter(([version]) => version !== current).map(([, key]) => key);
  return {
    of: (text) => [fingerprint(currentKey, text), ...formerKeys.map((key) => fingerprint(key, text))],
  };
}
