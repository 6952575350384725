import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { Secret } from '@fairlead/service-kit/secret';
import { decrypt, encrypt } from './cipher.ts';
import type { KeyEncryption } from './key-encryption.ts';

/** Wraps with the current key of a key ring: AES-256-GCM, with `binding` and the name of the key as associated data. */
export function ringKeyEncryption(keyRing: KeyRing): KeyEncryption {
  function keyOf(name: string): Uint8Array {
    const key = keyRing.keys.get(name);
    if (key === undefined) throw new Error(`The sealing key ${name} is not in the key ring.`);
    return key.reveal();
  }
  return {
    current: () => keyRing.current,
    async wrap(binding, key) {
      const wrappedWith = keyRing.current;
      const box = encrypt(keyOf(wrappedWith), [...binding, wrappedWith], key.reveal());
      return { wrappedWith, wrapped: box.toString('base64url') };
    },
    async unwrap(binding, { wrappedWith, wrapped }) {
      const box = Buffer.from(wrapped, 'base64url');
      const key = decrypt(keyOf(wrappedWith), [...binding, wrappedWith], box);
      if (key === undefined) throw new Error(`A data key does not open with the sealing key ${wrappedWith}.`);
      return new Secret(key);
    },
  };
}
