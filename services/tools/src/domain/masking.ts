import { isJsonArray } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import type { Credential } from '@fairlead/connector-runtime/call';
import { createTextMasker, MASK } from '@fairlead/connector-runtime/secret-masking';
import { setMember } from './json.ts';

/** Replaces every secret it knows by `***`. */
export interface Masker {
  readonly text: (value: string) => string;
  /** Masks strings, member names, and numbers that are a secret; arrays and objects keep their shape. */
  readonly object: (value: JsonObject) => JsonObject;
  readonly json: (value: Json) => Json;
  /**
   * What a text that was cut before it was masked must lose at its end, in characters: there, a part of a secret is not
   * recognised.
   */
  readonly unsureLength: number;
}

const LONG_NUMBER = /^-?(?!0)\d{4,}(?:\.\d+)?$/;
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
  const plain = new Set(secrets.filter((secret) => secret !== ''));
  // Equal in value, not only in spelling: a vendor that repeats a long number in JSON loses its last digits.
  const numbers = new Set(secrets.filter((secret) => LONG_NUMBER.test(secret)).map(Number));
  const text = createTextMasker(secrets);

  function json(value: Json): Json {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number') return plain.has(String(value)) || numbers.has(value) ? MASK : value;
    if (typeof value !== 'object' || value === null) return value;
    return isJsonArray(value) ? value.map(json) : object(value);
  }

  function object(value: JsonObject): JsonObject {
    const masked = {};
    for (const [name, member] of Object.entries(value)) setMember(masked, text(name), json(member));
    return masked;
  }

  const length = secrets.reduce((sum, secret) => sum + secret.length, 0);
  return { text, object, json, unsureLength: LONGEST_SPELLING * length };
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
  unsureLength: 0,
};

function everything(value: Json): Json {
  if (typeof value === 'string' || typeof value === 'number') return MASK;
  if (typeof value !== 'object' || value === null) return value;
  return isJsonArray(value) ? value.map(everything) : maskEverything.object(value);
}
