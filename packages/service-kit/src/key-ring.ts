import { Secret } from './secret.ts';

/** Keys by version. The current key seals, wraps or signs; every key opens, unwraps or verifies. */
export interface KeyRing {
  readonly current: string;
  readonly keys: ReadonlyMap<string, Secret<Uint8Array>>;
}

const KEY_BYTES = 32;
const ENTRY = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+={0,2})$/;

/**
 * Reads `v2:<base64>,v1:<base64>`: the first is current. Each key is 32 random bytes. Throws an Error that names the
 * entry but never contains a key.
 */
export function parseKeyRing(text: string): KeyRing {
  const keys = new Map<string, Secret<Uint8Array>>();
  for (const [index, entry] of text.split(',').entries()) {
    const [, version, base64] = ENTRY.exec(entry.trim()) ?? [];
    if (version === undefined || base64 === undefined) {
      throw new Error(`key ${index + 1} is not <version>:<base64 of 32 bytes>`);
    }
    const key = Buffer.from(base64, 'base64');
    if (key.length !== KEY_BYTES) throw new Error(`key ${version} has ${key.length} bytes, not 32`);
    if (keys.has(version)) throw new Error(`key ${version} is listed twice`);
    keys.set(version, new Secret(key));
  }
  const [current = ''] = keys.keys();
  return { current, keys };
}
