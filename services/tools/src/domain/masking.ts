import { isJsonArray, setMember } from '@fairlead/connector-model/json';
import type { Json } from '@fairlead/connector-model/model';
import type { Credential } from '@fairlead/connector-runtime/call';
import { MASK } from '@fairlead/connector-runtime/secret-masking';
import { createValueMasker } from '@fairlead/connector-runtime/value-masking';
import type { ValueMasker } from '@fairlead/connector-runtime/value-masking';

/** Replaces every secret it knows by `***`. */
export interface Masker extends ValueMasker {
  /** What it replaces. */
  readonly secrets: readonly string[];
  /**
   * What a text that was cut before it was masked must lose at its end, in characters: there, a part of a secret is not
   * recognised.
   */
  readonly unsureLength: number;
}

/** Characters that one of a secret may become in an encoding of an encoding: 6 for `\\uXXXX`, and the escapes of its backslash. */
const LONGEST_SPELLING = 12;

/** Every secret of a credential, including the access token. */
export function secretsOf(credential: Credential): readonly string[] {
  return credential.accessToken === undefined
    ? credential.secrets
    : [...credential.secrets, credential.accessToken];
}

/** A masker for these secrets, in every form that createTextMasker knows. */
export function createMasker(secrets: readonly string[]): Masker {
  const length = secrets.reduce((sum, secret) => sum + secret.length, 0);
  return { ...createValueMasker(secrets), secrets, unsureLength: LONGEST_SPELLING * length };
}

/** The masker, or another one if it does not know all of these secrets: to make one costs more than a small value. */
export function maskerOf(known: Masker, secrets: readonly string[]): Masker {
  return secrets.every((secret) => known.secrets.includes(secret)) ? known : createMasker(secrets);
}

/**
 * A masker for a connection whose secrets could not be read: any string or number in values may be a secret, so all are
 * masked. Texts stay, because they are Fairlead's own messages.
 */
export const maskEverything: Masker = {
  text: (value) => value,
  object(value) {
    const masked = {};
    for (const [name, member] of Object.entries(value)) setMember(masked, name, everything(member));
    return masked;
  },
  json: everything,
  secrets: [],
  unsureLength: 0,
};

function everything(value: Json): Json {
  if (typeof value === 'string' || typeof value === 'number') return MASK;
  if (typeof value !== 'object' || value === null) return value;
  return isJsonArray(value) ? value.map(everything) : maskEverything.object(value);
}
