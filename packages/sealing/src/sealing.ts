import { createHmac } from 'node:crypto';
import type { Secret } from '@fairlead/service-kit/secret';
import type { DataKeyStore } from './data-keys.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { createScopeKeyCache } from './scope-key-cache.ts';
import { keyIdOf, openWith, sealWith } from './sealed-value.ts';
import type { SealedValue } from './sealed-value.ts';

/** Encrypts values for storage with a key of their scope (an account). */
export interface Sealer {
  /** Seals `plain` for one position, which `binding` names (collection, document id, slot, version). */
  seal(scope: string, binding: readonly string[], plain: Uint8Array | string): Promise<SealedValue>;
  /** Opens a value that was sealed with exactly this scope and binding; anything else throws a SealingError. */
  open(scope: string, binding: readonly string[], sealed: SealedValue): Promise<Secret>;
  /**
   * A fingerprint that identifies a secret without revealing it: HMAC-SHA256, 22 base64url characters. The same for the
   * same text and scope until the scope is shredded, however often its data key is rewrapped or replaced.
   */
  fingerprint(scope: string, text: string): Promise<string>;
  /** Removes the scope's keys permanently: the values that they sealed are lost, even in a copy of the database without the keys. */
  shred(scope: string): Promise<void>;
}

const FINGERPRINT_LENGTH = 22;

/**
 * Envelope encryption: AES-256-GCM with one data key per scope, which is stored wrapped by a key-encryption key and cached in memory once
 * unwrapped. A data key that was replaced still opens the values that it sealed until all of them are sealed anew.
 */
export function createSealer(o: {
  readonly encryption: KeyEncryption;
  readonly store: DataKeyStore;
  /** A monotonic clock. Default: the process's. */
  readonly nowMs?: () => number;
}): Sealer {
  const keys = createScopeKeyCache(o);
  return {
    seal: async (scope, binding, plain) => sealWith(await keys.forSealing(scope), { scope, binding }, plain),
    open: async (scope, binding, sealed) =>
      openWith(await keys.forOpening(scope, keyIdOf(sealed)), { scope, binding }, sealed),
    async fingerprint(scope, text) {
      const { fingerprintKey } = await keys.get(scope);
      const hmac = createHmac('sha256', fingerprintKey.reveal()).update(text);
      return hmac.digest('base64url').slice(0, FINGERPRINT_LENGTH);
    },
    async shred(scope) {
      await o.store.remove(scope);
      keys.drop(scope);
    },
  };
}
