import { Secret } from '../secret.ts';
import { decrypt, encrypt } from './cipher.ts';

declare const sealedBrand: unique symbol;
/** A sealed value as it is stored: `s1.<data key id>.<base64url of iv, ciphertext and tag>`. */
export type Sealed = string & { readonly [sealedBrand]: true };

/** A sealed value cannot be opened: it was changed, moved to another place, or its key was removed. */
export class SealingError extends Error {
  override readonly name = 'SealingError';
}

/** The place of a sealed value; it opens nowhere else. */
export interface SealedPlace {
  /** The account whose data key seals the value. */
  readonly scope: string;
  /** Names the place within the scope: collection, document id, slot. */
  readonly binding: readonly string[];
}

/** A data key in memory. */
export interface DataKey {
  readonly id: string;
  readonly key: Secret<Uint8Array>;
}

const FORMAT = 's1';

/** Seals `plain` for that place. */
export function sealWith({ id, key }: DataKey, place: SealedPlace, plain: Uint8Array | string): Sealed {
  const box = encrypt(key.reveal(), bindingOf(id, place), plain);
  // The only place that makes one.
  return `${FORMAT}.${id}.${box.toString('base64url')}` as Sealed;
}

/** Opens a value that was sealed with that key for that place; throws a SealingError for anything else. */
export function openWith({ id, key }: DataKey, place: SealedPlace, sealed: string): Secret {
  const plain = decrypt(key.reveal(), bindingOf(id, place), partsOf(sealed).box);
  if (plain === undefined)
    throw new SealingError('The sealed value was changed, or it was sealed for another place.');
  return new Secret(plain.toString());
}

/** The id of the data key that sealed a value. Throws a SealingError if it is none. */
export function keyIdOf(sealed: string): string {
  return partsOf(sealed).id;
}

function partsOf(sealed: string): { readonly id: string; readonly box: Buffer } {
  const [format, id, text, ...rest] = sealed.split('.');
  if (format !== FORMAT || id === undefined || text === undefined || rest.length > 0)
    throw new SealingError('This is not a sealed value.');
  return { id, box: Buffer.from(text, 'base64url') };
}

function bindingOf(keyId: string, { scope, binding }: SealedPlace): readonly string[] {
  return [FORMAT, scope, keyId, ...binding];
}
