import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { KeyRing } from '../key-ring.ts';
import { Secret } from '../secret.ts';
import type { KeyEncryption } from './key-encryption.ts';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Wraps with the current key of a ring: AES-256-GCM, bound to the binding and the name of the key. */
export function ringKeyEncryption(keyRing: KeyRing): KeyEncryption {
  function keyOf(name: string): Uint8Array {
    const key = keyRing.keys.get(name);
    if (key === undefined) throw new Error(`The sealing key ${name} is not in the key ring.`);
    return key.reveal();
  }

  function wrap(binding: readonly string[], key: Uint8Array) {
    const wrappedWith = keyRing.current;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, keyOf(wrappedWith), iv).setAAD(
      associatedData(binding, wrappedWith),
    );
    const wrapped = Buffer.concat([iv, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
    return { wrappedWith, wrapped: wrapped.toString('base64url') };
  }

  function unwrap(binding: readonly string[], wrappedWith: string, box: Buffer): Uint8Array {
    const key = keyOf(wrappedWith);
    try {
      const decipher = createDecipheriv(CIPHER, key, box.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(associatedData(binding, wrappedWith)).setAuthTag(box.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(box.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    } catch {
      throw new Error(`A data key does not open with the sealing key ${wrappedWith}.`);
    }
  }

  return {
    current: () => keyRing.current,
    wrap: async (binding, key) => wrap(binding, key.reveal()),
    unwrap: async (binding, { wrappedWith, wrapped }) =>
      new Secret(unwrap(binding, wrappedWith, Buffer.from(wrapped, 'base64url'))),
  };
}

function associatedData(binding: readonly string[], name: string): Buffer {
  return Buffer.from(JSON.stringify([...binding, name]));
}
