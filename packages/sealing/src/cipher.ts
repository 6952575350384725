import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Encrypts with AES-256-GCM, bound to the parts of `binding`; returns iv, ciphertext and tag. */
export function encrypt(key: Uint8Array, binding: readonly string[], plain: Uint8Array | string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, prepared(key), iv).setAAD(associatedData(binding));
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts what `encrypt` returned for the same key and binding; undefined for anything else. */
export function decrypt(key: Uint8Array, binding: readonly string[], box: Uint8Array): Buffer | undefined {
  try {
    const iv = box.subarray(0, IV_BYTES);
    const decipher = createDecipheriv(CIPHER, prepared(key), iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(associatedData(binding)).setAuthTag(box.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(box.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** A new random key. */
export function randomKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/** A key for one purpose, derived from another key, so that no key ever serves two purposes. */
export function deriveKey(key: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', purpose, KEY_BYTES));
}

const keyObjects = new WeakMap<Uint8Array, KeyObject>();

/** The form of a key that Node uses directly: given bytes, Node throws and catches an error for each cipher. */
function prepared(key: Uint8Array): KeyObject {
  const known = keyObjects.get(key) ?? createSecretKey(key);
  keyObjects.set(key, known);
  return known;
}

// JSON keeps the parts apart, whatever they contain.
function associatedData(binding: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(binding));
}
