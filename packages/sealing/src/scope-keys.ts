import { guid } from '@fairlead/service-kit/ids';
import { Secret } from '@fairlead/service-kit/secret';
import { decrypt, deriveKey, encrypt, randomKey } from './cipher.ts';
import type { DataKeyRecord } from './data-keys.ts';
import type { KeyEncryption } from './key-encryption.ts';
import type { DataKey } from './sealed-value.ts';

/** The unwrapped keys of one scope. */
export interface ScopeKeys {
  /** Seals. */
  readonly current: DataKey;
  /** Former data keys, which only open the values that they sealed before they were replaced. */
  readonly former: readonly DataKey[];
  /** The key of fingerprints, which stays the same when the data key is replaced. */
  readonly fingerprintKey: Secret<Uint8Array>;
}

const FINGERPRINT_PURPOSE = 'fairlead-fingerprint-v1';
const WRAPPING_PURPOSE = 'fairlead-wrapping-v1';

/** Wraps a data key with the current key-encryption key, bound to its scope and id. */
export async function wrapDataKey(
  encryption: KeyEncryption,
  scope: string,
  { id, key }: DataKey,
): Promise<DataKeyRecord> {
  return { scope, id, ...(await encryption.wrap(dataKeyBinding(scope, id), key)) };
}

/** Unwraps a data key. Throws an Error if its key-encryption key is missing, or it was changed or moved to another scope. */
export function unwrapDataKey(encryption: KeyEncryption, record: DataKeyRecord): Promise<Secret<Uint8Array>> {
  return encryption.unwrap(dataKeyBinding(record.scope, record.id), record);
}

/** A new data key for a scope that has none. */
export function newDataKey(encryption: KeyEncryption, scope: string): Promise<DataKeyRecord> {
  return wrapDataKey(encryption, scope, { id: guid(), key: new Secret(randomKey()) });
}

/** Every key of a scope, unwrapped: the current data key by its key-encryption key, the others by the current data key. */
export async function unwrapScopeKeys(encryption: KeyEncryption, record: DataKeyRecord): Promise<ScopeKeys> {
  const current = { id: record.id, key: await unwrapDataKey(encryption, record) };
  const inner = innerWrapping(record.scope, current);
  return {
    current,
    former: (record.former ?? []).map(({ id, wrapped }) => ({ id, key: inner.unwrap(id, wrapped) })),
    fingerprintKey:
      record.fingerprintKey === undefined
        ? new Secret(deriveKey(current.key.reveal(), FINGERPRINT_PURPOSE))
        : inner.unwrap(FINGERPRINT_PURPOSE, record.fingerprintKey),
  };
}

/**
 * The record with a new data key that replaces the current one, which becomes a former one. The fingerprint key stays the same.
 * `replacement` is the number of the replacement that requires it.
 */
export async function replaceDataKey(
  encryption: KeyEncryption,
  record: DataKeyRecord,
  replacement: number,
): Promise<DataKeyRecord> {
  const { current, former, fingerprintKey } = await unwrapScopeKeys(encryption, record);
  const next = { id: guid(), key: new Secret(randomKey()) };
  const inner = innerWrapping(record.scope, next);
  return {
    ...(await wrapDataKey(encryption, record.scope, next)),
    replacement,
    former: [...former, current].map(({ id, key }) => ({ id, wrapped: inner.wrap(id, key) })),
    fingerprintKey: inner.wrap(FINGERPRINT_PURPOSE, fingerprintKey),
  };
}

/** Wraps further keys of a scope with its current data key, so that a key-encryption key wraps one key per scope. */
function innerWrapping(scope: string, { id, key }: DataKey) {
  const wrappingKey = deriveKey(key.reveal(), WRAPPING_PURPOSE);
  const bindingOf = (name: string) => ['scope-key', scope, id, name];
  return {
    wrap: (name: string, inner: Secret<Uint8Array>): string =>
      encrypt(wrappingKey, bindingOf(name), inner.reveal()).toString('base64url'),
    unwrap(name: string, wrapped: string): Secret<Uint8Array> {
      const inner = decrypt(wrappingKey, bindingOf(name), Buffer.from(wrapped, 'base64url'));
      if (inner === undefined) throw new Error(`A key of ${scope} does not open with its data key.`);
      return new Secret(inner);
    },
  };
}

function dataKeyBinding(scope: string, id: string): readonly string[] {
  return ['data-key', scope, id];
}
