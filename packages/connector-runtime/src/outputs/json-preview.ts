import { isJsonArray, setMember } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { cutText } from '../cut-text.ts';

/** Approximate bytes of a number, boolean or null, and of the punctuation around a value. */
const SCALAR_BYTES = 8;

/**
 * A preview in about `maxBytes` of JSON with the shape of the whole: lists lose items at their end, and cut texts
 * have a note. Objects keep all members, up to twice `maxBytes`.
 */
export function previewOf(value: JsonObject, maxBytes: number): JsonObject {
  let left = maxBytes;

  function json(part: Json): Json {
    if (typeof part === 'string') return text(part);
    left -= SCALAR_BYTES;
    if (typeof part !== 'object' || part === null) return part;
    return isJsonArray(part) ? list(part) : object(part);
  }

  function text(part: string): string {
    const beginning = beginningOf(part, Math.max(0, left));
    left -= beginning.length + SCALAR_BYTES;
    return beginning;
  }

  function list(part: readonly Json[]): readonly Json[] {
    const items: Json[] = [];
    for (const item of part) {
      if (left <= 0) break;
      items.push(json(item));
    }
    // The last item may be cut.
    return left < 0 && items.length > 1 ? items.slice(0, -1) : items;
  }

  function object(part: JsonObject): JsonObject {
    const members = {};
    for (const [name, member] of Object.entries(part)) {
      if (left <= -maxBytes) break;
      left -= name.length;
      setMember(members, name, json(member));
    }
    return members;
  }

  return object(value);
}

/** The first `maxLength` characters of a text, with a note if it is longer. */
export function beginningOf(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${cutText(text, maxLength)} [cut: ${text.length - maxLength} more characters]`;
}
