import { isJsonArray, setMember } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { areTooLarge, createTextMasker, MASK } from './secret-masking.ts';

/** Replaces secrets by `***`. */
export interface ValueMasker {
  readonly text: (value: string) => string;
  /** Masks strings, member names, and numbers that are a secret; arrays and objects keep their shape. */
  readonly object: (value: JsonObject) => JsonObject;
  readonly json: (value: Json) => Json;
}

/** Replaces every secret it knows by `***`. */
export interface Masker extends ValueMasker {
  /** The texts that it replaces. */
  readonly secrets: readonly string[];
  /**
   * Characters that a text must lose at its end if it was cut before it was masked: there, a part of a secret is not
   * recognised.
   */
  readonly unsureLength: number;
}

/** Characters that one of a secret may become in an encoding of an encoding: 6 for `\\uXXXX`, and the escapes of its backslash. */
const LONGEST_SPELLING = 12;

/** A masker for these secrets, in every form that createTextMasker knows. */
export function createMasker(secrets: readonly string[]): Masker {
  const length = secrets.reduce((sum, secret) => sum + secret.length, 0);
  return { ...createValueMasker(secrets), secrets, unsureLength: LONGEST_SPELLING * length };
}

/** An object whose members' names are masked: of two that become equal, none takes the other's place. */
export class MaskedMembers {
  readonly object: Record<string, Json> = {};
  #equal = 1;

  set(name: string, value: Json): void {
    let free = name;
    // Counted on, because very many may be equal.
    while (Object.hasOwn(this.object, free)) free = `${name} (${(this.#equal += 1)})`;
    setMember(this.object, free, value);
  }
}

const LONG_NUMBER = /^-?(?!0)\d{4,}(?:\.\d+)?$/;

/** A masker for these secrets, in every form that createTextMasker knows. If they are too large, every number is masked too. */
export function createValueMasker(secrets: readonly string[]): ValueMasker {
  const masksAll = areTooLarge(secrets);
  const searched = masksAll ? [] : secrets;
  const plain = new Set(searched.filter((secret) => secret !== ''));
  // Equal in value, not only in spelling: a vendor that repeats a long number in JSON loses its last digits.
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
