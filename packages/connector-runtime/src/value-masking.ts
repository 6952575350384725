import { isJsonArray, setMember } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { areTooLarge, createTextMasker, MASK } from './secret-masking.ts';

/** Replaces secrets by `***`. */
export interface ValueMasker {
  readonly text: (value: string) => string;
  /** Masks secrets in strings and member names, and numbers that are secrets. Arrays and objects keep their shape. */
  readonly object: (value: JsonObject) => JsonObject;
  readonly json: (value: Json) => Json;
}

/** Replaces all its secrets in a text by `***`. */
export interface Masker extends ValueMasker {
  /** The secrets of this masker. */
  readonly secrets: readonly string[];
  /** Number of characters to remove from the end of a text that was cut before masking, because they may be part of a secret. */
  readonly unsureLength: number;
}

/** Maximum length of one encoded character in two nested encodings: 6 for `\\uXXXX`, plus the escapes of its backslash. */
const LONGEST_SPELLING = 12;

/** Creates a masker of these secrets, in every encoding that createTextMasker lists. */
export function createMasker(secrets: readonly string[]): Masker {
  const length = secrets.reduce((sum, secret) => sum + secret.length, 0);
  return { ...createValueMasker(secrets), secrets, unsureLength: LONGEST_SPELLING * length };
}

/** An object with masked names. If two names become equal, both members stay, numbered. */
export class MaskedMembers {
  readonly object: Record<string, Json> = {};
  #equal = 1;

  set(name: string, value: Json): void {
    let free = name;
    // The counter continues, because very many names may be equal.
    while (Object.hasOwn(this.object, free)) free = `${name} (${(this.#equal += 1)})`;
    setMember(this.object, free, value);
  }
}

const LONG_NUMBER = /^-?(?!0)\d{4,}(?:\.\d+)?$/;

/**
 * Creates a masker of these secrets, in every encoding that createTextMasker lists. If the secrets are too large
 * together, it masks every number too.
 */
export function createValueMasker(secrets: readonly string[]): ValueMasker {
  const masksAll = areTooLarge(secrets);
  const searched = masksAll ? [] : secrets;
  const plain = new Set(searched.filter((secret) => secret !== ''));
  // Compares by value: a vendor that repeats a long number in JSON loses its last digits.
  const numbers = new Set(searched.filter((secret) => LONG_NUMBER.test(secret)).map(Number));
  const text = createTextMasker(secrets);

  function json(value: Json): Json {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number')
      return masksAll || plain.has(String(value)) || numbers.has(value) ? MASK : value;
    if (typeof value !== 'object' || value === null) return value;
    return isJsonArray(value) ? value.map(json) : object(value);
  }

  function object(value: JsonObject): JsonObject {
    const masked = new MaskedMembers();
    for (const [name, member] of Object.entries(value)) masked.set(text(name), json(member));
    return masked.object;
  }

  return { text, object, json };
}
