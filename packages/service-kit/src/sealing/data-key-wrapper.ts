import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { DataKeyRecord } from './data-keys.ts';
import type { KeyRing } from '../key-ring.ts';
import { Secret } from '../secret.ts';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Wraps data keys with the ring's current key and unwraps them with the one that wrapped them. */
export interface DataKeyWrapper {
  wrap(scope: string, id: string, key: Secret<Uint8Array>): DataKeyRecord;
  /** Throws an Error if the ring lacks the key, or the record was changed or moved to another scope. */
  unwrap(record: DataKeyRecord): Secret<Uint8Array>;
}

/** The wrapper of a key ring: AES-256-GCM, bound to scope, data key id and key version. */
export function createDataKeyWrapper(keyRing: KeyRing): DataKeyWrapper {
  function keyOf(version: string): Secret<Uint8Array> {
    const key = keyRing.keys.get(version);
    if (key === undefined) throw new Error(`The sealing key ${version} is not in the key ring.`);
    return key;
  }
  return {
    wrap(scope, id, key) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, keyOf(keyRing.current).reveal(), iv);
      cipher.setAAD(associatedData(scope, id, keyRing.current));
      const wrapped = Buffer.concat([iv, cipher.update(key.reveal()), cipher.final(), cipher.getAuthTag()]);
      return { scope, id, wrappedWith: keyRing.current, wrapped: wrapped.toString('base64url') };
    },
    unwrap({ scope, id, wrappedWith, wrapped }) {
      const box = Buffer.from(wrapped, 'base64url');
      const key = keyOf(wrappedWith).reveal();
      try {
        const decipher = createDecipheriv(CIPHER, key, box.subarray(0, IV_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(associatedData(scope, id, wrappedWith)).setAuthTag(box.subarray(-TAG_BYTES));
        return new Secret(
          Buffer.concat([decipher.update(box.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]),
        );
      } catch {
        throw new Error(`The data key of ${scope} does not open with the sealing key ${wrappedWith}.`);
      }
    },
  };
}

function associatedData(scope: string, id: string, version: string): Buffer {
  return Buffer.from(JSON.stringify(['data-key', scope, id, version]));
}
