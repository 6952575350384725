import type { Json } from '@fairlead/connector-model/model';
import { CallFailure } from './failure.ts';

/** The most values of a vendor's JSON: every object, array and scalar counts as one. */
export const MAX_JSON_VALUES = 100_000;
/** The most levels of objects and arrays of a vendor's JSON. */
const MAX_JSON_DEPTH = 200;

/**
 * Parses a vendor's JSON. Throws CallFailure, before anything is built, above MAX_JSON_VALUES or MAX_JSON_DEPTH, and
 * SyntaxError if the text is not JSON. `what` begins the message, such as `The response`.
 */
export function parseVendorJson(text: string, what: string): Json {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
    } else if (character === ',') {
      values += 1;
    } else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > MAX_JSON_DEPTH) throw tooDeep(what);
      if (!isClosedNext(text, at + 1)) values += 1;
    } else if (character === ']' || character === '}') {
      depth -= 1;
    }
    if (values > MAX_JSON_VALUES) throw tooMany(what);
  }
  // JSON.parse returns JSON.
  return JSON.parse(text) as Json;
}

/** Throws CallFailure if a value has more than MAX_JSON_VALUES values or MAX_JSON_DEPTH levels. */
export function requireJsonLimits(value: Json, what: string): void {
  let values = 0;
  const count = (part: Json, depth: number): void => {
    values += 1;
    if (values > MAX_JSON_VALUES) throw tooMany(what);
    if (typeof part !== 'object' || part === null) return;
    if (depth === MAX_JSON_DEPTH) throw tooDeep(what);
    for (const member of Object.values(part)) count(member, depth + 1);
  };
  count(value, 0);
}

/** The position of the quote that ends the string starting at `start`; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = text.indexOf('"', at);
    if (at < 0) return text.length;
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
}

/** Whether the next character that is not white space closes an object or array. */
function isClosedNext(text: string, from: number): boolean {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\t' || text[at] === '\r') at += 1;
  return text[at] === ']' || text[at] === '}';
}

function tooMany(what: string): CallFailure {
  return new CallFailure(`${what} holds more than ${MAX_JSON_VALUES} JSON values. Request less data.`);
}

function tooDeep(what: string): CallFailure {
  return new CallFailure(`${what} nests JSON deeper than ${MAX_JSON_DEPTH} levels.`);
}
