import { createHmac } from 'node:crypto';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import type { ChainKeys } from './domain/batch.ts';

/** The chain keys of a key ring: its current key seals, every key verifies. */
export function chainKeysOf({ current, keys }: KeyRing): ChainKeys {
  return {
    current,
    mac(keyId, text) {
      const key = keys.get(keyId);
      return key && createHmac('sha256', key.reveal()).update(text).digest('hex');
    },
  };
}
