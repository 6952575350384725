import { exactNumber, parseExactly } from '../exact-json.ts';
import type { JsonType } from './input-schema.ts';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const MISREAD = Symbol('misread');

/** The parsers in the order in which they are tried: text that can be read as another permitted type is not read as a string. */
const READERS: readonly (readonly [JsonType, (text: string) => unknown])[] = [
  ['null', (text) => (text === 'null' ? null : MISREAD)],
  ['boolean', (text) => (text === 'true' || text === 'false' ? text === 'true' : MISREAD)],
  ['integer', (text) => (INTEGER.test(text) ? exactNumber(text) : MISREAD)],
  ['number', (text) => (NUMBER.test(text) ? exactNumber(text) : MISREAD)],
  ['array', (text) => (text.trimStart().startsWith('[') ? jsonOf(text) : MISREAD)],
  ['object', (text) => (text.trimStart().startsWith('{') ? jsonOf(text) : MISREAD)],
  ['string', (text) => text],
];

const WORDS: Readonly<Record<JsonType, string>> = {
  string: 'text',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  array: 'an array as JSON',
  object: 'an object as JSON',
};

/** Typed text, read as one of `types`; undefined if it matches none of them. Without types: JSON, otherwise text. */
export function typedValue(
  types: ReadonlySet<JsonType>,
  text: string,
): { readonly value: unknown } | undefined {
  if (types.size === 0) {
    const value = jsonOf(text);
    return { value: value === MISREAD ? text : value };
  }
  for (const [type, read] of READERS) {
    const value = types.has(type) ? read(text) : MISREAD;
    if (value !== MISREAD) return { value };
  }
  return undefined;
}

/** The types in words: `an integer or null`. */
export function inWords(types: ReadonlySet<JsonType>): string {
  const words = [...types].map((type) => WORDS[type]);
  return words.length === 0 ? 'text or JSON' : words.join(' or ');
}

function jsonOf(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return MISREAD;
  }
}
