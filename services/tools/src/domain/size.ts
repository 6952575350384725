import { isJsonArray } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { setMember } from './json.ts';

/**
 * How deep an output may nest. Protobuf decoders stop at 100 nested messages, and a level of JSON takes two: a deeper
 * response could be sent but not read.
 */
export const MAX_DEPTH = 40;

/**
 * A tool's output as plain JSON (a handler may return values that only serialization turns into JSON, such as dates),
 * or undefined if it is not JSON or is deeper than MAX_DEPTH.
 */
export function plainOutput(output: JsonObject): JsonObject | undefined {
  // Checked first: a value that is deep enough overflows the stack of everything that follows.
  if (isDeeperThan(output, MAX_DEPTH)) return undefined;
  try {
    return JSON.parse(JSON.stringify(output)) as JsonObject;
  } catch {
    return undefined;
  }
}

function isDeeperThan(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeperThan(part, levels - 1));
}

/**
 * Cuts an object so that its JSON is within about `maxBytes`: keeps members, items and text from the start as long as
 * they fit, and states what is omitted in its place as `[cut: …]`.
 */
export function cutObject(value: JsonObject, maxBytes: number): JsonObject {
  return new Cutter(maxBytes).object(value, 0);
}

/** Cuts a text to at most `maxLength` UTF-16 code units, followed by a note that it was cut. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength).toWellFormed()} [cut: ${text.length - maxLength} more characters]`;
}

class Cutter {
  #left: number;

  constructor(maxBytes: number) {
    this.#left = maxBytes;
  }

  object(value: JsonObject, depth: number): JsonObject {
    const kept = {};
    const members = Object.entries(value);
    for (const [index, [name, member]] of members.entries()) {
      this.#left -= sizeOf(name) + 2;
      if (this.#left <= 0) {
        setMember(kept, '[cut]', `${members.length - index} more members`);
        break;
      }
      setMember(kept, name, this.#json(member, depth + 1));
    }
    return kept;
  }

  #json(value: Json, depth: number): Json {
    if (typeof value === 'object' && value !== null) {
      if (depth >= MAX_DEPTH) return '[cut: nested too deep]';
      return isJsonArray(value) ? this.#array(value, depth) : this.object(value, depth);
    }
    const size = sizeOf(value);
    const left = this.#left;
    this.#left -= size;
    return typeof value === 'string' && size > left ? cutText(value, Math.max(0, left)) : value;
  }

  #array(value: readonly Json[], depth: number): Json {
    const kept: Json[] = [];
    for (const item of value) {
      this.#left -= 1;
      if (this.#left <= 0) {
        kept.push(`[cut: ${value.length - kept.length} more items]`);
        break;
      }
      kept.push(this.#json(item, depth + 1));
    }
    return kept;
  }
}

function sizeOf(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value));
}
