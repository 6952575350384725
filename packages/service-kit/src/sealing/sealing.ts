import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { unwrapDataKey, wrapDataKey } from './data-keys.ts';
import type { DataKeyRecord, DataKeyStore } from './data-keys.ts';
import { guid } from '../ids.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { Secret } from '../secret.ts';

declare const sealedBrand: unique symbol;
/** A sealed value as it is stored: `s1.<data key id>.<base64url of iv, ciphertext and tag>`. */
export type Sealed = string & { readonly [sealedBrand]: true };

/** A sealed value cannot be opened: it was changed, moved to another place, or its key was removed. */
class SealingError extends Error {
  override readonly name = 'SealingError';
}

/** Encrypts values for storage with a key of their scope (an account). */
export interface Sealer {
  /** Seals `plain` for one place: `binding` names it (collection, document id, slot, version). */
  seal(scope: string, binding: readonly string[], plain: Uint8Array | string): Promise<Sealed>;
  /** Opens a value that was sealed for exactly this scope and place; anything else throws a SealingError. */
  open(scope: string, binding: readonly string[], sealed: Sealed): Promise<Secret>;
  /**
   * A fingerprint that identifies a secret without revealing it: HMAC-SHA256, 22 base64url characters. The
   * same for the same text and scope for as long as the scope has its key, however often that is rewrapped.
   */
  fingerprint(scope: string, text: string): Promise<string>;
  /** Removes the scope's key permanently: what it sealed is lost, even in a copy of the database without the key. */
  shred(scope: string): Promise<void>;
}

interface DataKey {
  readonly id: string;
  readonly key: Secret<Uint8Array>;
}

const CIPHER = 'aes-256-gcm';
const FORMAT = 's1';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const CACHE_LIMIT = 10_000;
const FINGERPRINT_KEY = 'fairlead-fingerprint-v1';
const FINGERPRINT_LENGTH = 22;

/**
 * Envelope encryption: AES-256-GCM with one data key per scope, which is stored wrapped by a key-encryption key and
 * cached in memory once unwrapped (at most 10 000).
 */
export function createSealer(o: {
  readonly encryption: KeyEncryption;
  readonly store: DataKeyStore;
}): Sealer {
  const cache = new Map<string, Promise<DataKey>>();

  async function unwrap(record: DataKeyRecord): Promise<DataKey> {
    return { id: record.id, key: await unwrapDataKey(o.encryption, record) };
  }

  async function load(scope: string): Promise<DataKey | undefined> {
    const record = await o.store.find(scope);
    return record && unwrap(record);
  }

  async function loadOrCreate(scope: string): Promise<DataKey> {
    const existing = await load(scope);
    if (existing !== undefined) return existing;
    const key = new Secret(randomBytes(KEY_BYTES));
    const fresh = await wrapDataKey(o.encryption, scope, { id: guid(), key });
    // Another process may have been first; every process uses the stored key.
    return unwrap(await o.store.insertIfAbsent(fresh));
  }

  function cached(scope: string, make: () => Promise<DataKey>): Promise<DataKey> {
    const hit = cache.get(scope);
    const key = hit ?? make();
    // Moving a hit to the end makes the first entry the least recently used.
    cache.delete(scope);
    cache.set(scope, key);
    const [oldest] = cache.keys();
    if (cache.size > CACHE_LIMIT && oldest !== undefined) cache.delete(oldest);
    if (hit === undefined) {
      key.catch(() => {
        if (cache.get(scope) === key) cache.delete(scope);
      });
    }
    return key;
  }

  async function keyOf(scope: string, id: string): Promise<Secret<Uint8Array>> {
    const make = async (): Promise<DataKey> => {
      const key = await load(scope);
      if (key === undefined) throw new SealingError('The key of this value does not exist.');
      return key;
    };
    const known = await cached(scope, make);
    if (known.id === id) return known.key;
    cache.delete(scope);
    const stored = await cached(scope, make);
    if (stored.id !== id) throw new SealingError('The key of this value does not exist.');
    return stored.key;
  }

  return {
    async seal(scope, binding, plain) {
      const { id, key } = await cached(scope, () => loadOrCreate(scope));
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, key.reveal(), iv).setAAD(associatedData(scope, id, binding));
      const box = Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
      return brand(`${FORMAT}.${id}.${box.toString('base64url')}`);
    },
    async open(scope, binding, sealed) {
      const [format, id, text, ...rest] = sealed.split('.');
      if (format !== FORMAT || id === undefined || text === undefined || rest.length > 0) {
        throw new SealingError('This is not a sealed value.');
      }
      const key = await keyOf(scope, id);
      return new Secret(decrypt(key, Buffer.from(text, 'base64url'), associatedData(scope, id, binding)));
    },
    async fingerprint(scope, text) {
      const { key } = await cached(scope, () => loadOrCreate(scope));
      // A separate key, so that one key never serves two purposes.
      const hmacKey = Buffer.from(hkdfSync('sha256', key.reveal(), '', FINGERPRINT_KEY, KEY_BYTES));
      return createHmac('sha256', hmacKey).update(text).digest('base64url').slice(0, FINGERPRINT_LENGTH);
    },
    async shred(scope) {
      await o.store.remove(scope);
      cache.delete(scope);
    },
  };
}

function decrypt(key: Secret<Uint8Array>, box: Buffer, aad: Buffer): string {
  try {
    const decipher = createDecipheriv(CIPHER, key.reveal(), box.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(aad).setAuthTag(box.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(box.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString();
  } catch {
    throw new SealingError('The sealed value was changed, or it was sealed for another place.');
  }
}

// JSON separates the parts, whatever they contain.
function associatedData(scope: string, keyId: string, binding: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify([FORMAT, scope, keyId, ...binding]));
}

function brand(text: string): Sealed {
  // The only place that makes one.
  return text as Sealed;
}
