import { keysVariable } from '@fairlead/service-kit/config';
import { parseSealingKeys } from './sealing-keys.ts';

/** The variables of every service that stores secrets. */
export const sealingConfigShape = {
  /**
   * Key-encryption keys `v2:<base64 of 32 bytes>,v1:<…>`: the first wraps data keys, the others still unwrap them. One
   * entry may be `kms:<path of a Unix socket>`, a plugin of a key management service. docs/production.md describes the
   * rotation.
   */
  SEALING_KEYS: keysVariable(parseSealingKeys),
};
