import type { Json } from '@fairlead/connector-model/json';

const QUOTE = '"';
const BACKSLASH = '\\';
/** Replaces omitted items or characters. */
export const CUT_REST = '[cut: the rest]';
/** Value of the member `[cut]`, which replaces omitted members. */
export const CUT_MEMBERS = 'the rest';

/**
 * The beginning of a large JSON object or array, made from about its first `maxBytes` without parsing the rest. It
 * has complete members and items only, and `[cut: the rest]` in each object and array that is incomplete.
 */
export function jsonBeginning(json: Uint8Array, maxBytes: number): Json {
  const text = Buffer.from(json.buffer, json.byteOffset, Math.min(maxBytes, json.byteLength)).toString();
  const end = lastMember(text);
  if (end === undefined) return `[cut: ${json.byteLength} bytes]`;
  const open = Array.from(end.open).toReversed();
  const closed = open
    .map((bracket) => (bracket === '[' ? `,"${CUT_REST}"]` : `,"[cut]":"${CUT_MEMBERS}"}`))
    .join('');
  return JSON.parse(`${text.slice(0, end.at)}${closed}`) as Json;
}

/** The end of the last complete member or item, and the brackets that are open there; undefined: nothing is complete. */
function lastMember(text: string): { readonly at: number; readonly open: string } | undefined {
  let open = '';
  let found: { readonly at: number; readonly open: string } | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (sign === QUOTE) at = textEnd(text, at);
    else if (sign === '[' || sign === '{') open += sign;
    else if (sign === ']' || sign === '}') open = open.slice(0, -1);
    else if (sign === ',') found = { at, open };
  }
  return found;
}

/** Maximum bytes of one character in JSON: the length of an escape. */
const MAX_CHARACTER_BYTES = 6;

/** The first `maxLength` characters of a large text, given as JSON, without decoding the rest. */
export function textBeginning(json: Uint8Array, maxLength: number): string {
  const length = Math.min(json.byteLength - 2, maxLength * MAX_CHARACTER_BYTES);
  const text = Buffer.from(json.buffer, json.byteOffset + 1, length).toString();
  // The slice may end within an escape. A character that is cut in two lies beyond `maxLength`.
  for (let end = text.length; end > text.length - MAX_CHARACTER_BYTES; end -= 1) {
    const whole = parsedText(text.slice(0, end));
    if (whole !== undefined) return whole.slice(0, maxLength);
  }
  return '';
}

function parsedText(inside: string): string | undefined {
  try {
    return JSON.parse(`"${inside}"`) as string;
  } catch {
    return undefined;
  }
}

function textEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}
