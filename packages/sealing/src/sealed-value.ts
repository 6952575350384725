import { Secret } from '@fairlead/service-kit/secret';
import { decrypt, encrypt } from './cipher.ts';

declare const sealedBrand: unique symbol;
/** A sealed value as it is stored: `s1.<data key id>.<base64url of iv, ciphertext and tag>`. */
export type SealedValue = string & { readonly [sealedBrand]: true };

/** A sealed value cannot be opened: it was changed or moved elsewhere, or its key was removed. */
export class SealingError extends Error {
  override readonly name = 'SealingError';
}

/** Associated data (AEAD) of a sealed value: the account and the position with which it was sealed. It opens with no other. */
export interface AssociatedData {
  /** The account whose data key seals the value. */
  readonly scope: string;
  /** Names the position within the scope: collection, document id, slot. */
  readonly binding: readonly string[];
}

/** A data key in memory. */
export interface DataKey {
  readonly id: string;
  readonly key: Secret<Uint8Array>;
}

const FORMAT = 's1';

/** Seals `plain` with associated data. */
export function sealWith(
  { id, key }: DataKey,
  associated: AssociatedData,
  plain: Uint8Array | string,
): SealedValue {
  const box = encrypt(key.reveal(), partsBound(id, associated), plain);
  // Sealed values are created here only.
  return `${FORMAT}.${id}.${box.toString('base64url')}` as SealedValue;
}

/** Opens a value that was sealed with this key and associated data; throws a SealingError for anything else. */
export function openWith({ id, key }: DataKey, associated: AssociatedData, sealed: string): Secret {
  const plain = decrypt(key.reveal(), partsBound(id, associated), partsOf(sealed).box);
  if (plain === undefined)
    throw new SealingError('The sealed value was changed, or it was sealed elsewhere.');
  return new Secret(plain.toString());
}

/** The id of the data key that sealed a value. Throws a SealingError if the text is not a sealed value. */
export function keyIdOf(sealed: string): string {
  return partsOf(sealed).id;
}

function partsOf(sealed: string): { readonly id: string; readonly box: Buffer } {
  const [format, id, text, ...rest] = sealed.split('.');
  if (format !== FORMAT || id === undefined || text === undefined || rest.length > 0)
    throw new SealingError('This is not a sealed value.');
  return { id, box: Buffer.from(text, 'base64url') };
}

/** All data that the ciphertext is bound to. */
function partsBound(keyId: string, { scope, binding }: AssociatedData): readonly string[] {
  return [FORMAT, scope, keyId, ...binding];
}
