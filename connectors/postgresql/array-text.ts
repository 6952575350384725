import type { Json } from '@fairlead/connector-model/json';
import { HandlerError } from '@fairlead/connector-runtime/handler';

/** PostgreSQL's own maximum number of dimensions. */
const MAX_DIMENSIONS = 6;

/**
 * Parses the text form of a PostgreSQL array, linear in its length: `{1,NULL,"a \"b\""}`, nested for more dimensions,
 * perhaps with bounds before it (`[0:1]={1,2}`). Throws HandlerError if it is not one.
 */
export function parseArray(text: string, parseElement: (text: string) => Json): Json {
  const start = text.startsWith('[') ? text.indexOf('=') + 1 : 0;
  if (text[start] !== '{') throw notAnArray();
  const open: Json[][] = [];
  const plain = /[^{},"\\]+/y;
  for (let at = start; at < text.length;) {
    const array = open.at(-1);
    const character = text[at];
    if (character === '{') {
      const inner: Json[] = [];
      array?.push(inner);
      open.push(inner);
      if (open.length > MAX_DIMENSIONS) throw notAnArray();
      at += 1;
    } else if (array === undefined) {
      throw notAnArray();
    } else if (character === '}') {
      open.pop();
      at += 1;
      if (open.length === 0) {
        if (at !== text.length) throw notAnArray();
        return array;
      }
    } else if (character === ',') {
      at += 1;
    } else if (character === '"') {
      const end = endOfQuoted(text, at);
      array.push(parseElement(text.slice(at + 1, end).replaceAll(/\\([^])/g, '$1')));
      at = end + 1;
    } else {
      plain.lastIndex = at;
      const element = plain.exec(text)?.[0];
      if (element === undefined) throw notAnArray();
      array.push(element === 'NULL' ? null : parseElement(element));
      at = plain.lastIndex;
    }
  }
  throw notAnArray();
}

/** The position of the quote that ends the element starting at `start`. */
function endOfQuoted(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = text.indexOf('"', at);
    if (at < 0) throw notAnArray();
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
}

function notAnArray(): HandlerError {
  return new HandlerError('The database sent an array that cannot be read.');
}
