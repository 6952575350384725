import { isJsonArray, setMember } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import type { Outcome } from './execution.ts';
import type { Masker } from './masking.ts';

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

/**
 * The same for an object whose secrets are masked: only what is kept of it is searched for them, and no part of one is
 * kept. What is masked counts with its original size.
 */
export function cutMaskedObject(value: JsonObject, maxBytes: number, masker: Masker): JsonObject {
  return new Cutter(maxBytes, masker).object(value, 0);
}

/** Cuts a text to at most `maxLength` UTF-16 code units, followed by a note that it was cut. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength).toWellFormed()} [cut: ${text.length - maxLength} more characters]`;
}

const maskNothing: Masker = {
  text: (value) => value,
  object: (value) => value,
  json: (value) => value,
  secrets: [],
  unsureLength: 0,
};

class Cutter {
  #left: number;

  readonly #masker: Masker;

  constructor(maxBytes: number, masker: Masker = maskNothing) {
    this.#left = maxBytes;
    this.#masker = masker;
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
      setMember(kept, this.#masker.text(name), this.#json(member, depth + 1));
    }
    return kept;
  }

  #json(value: Json, depth: number): Json {
    if (typeof value === 'object' && value !== null) {
      if (depth >= MAX_DEPTH) return '[cut: nested too deep]';
      return isJsonArray(value) ? this.#array(value, depth) : this.object(value, depth);
    }
    const left = Math.max(0, this.#left);
    // A text has at least so many bytes, and the JSON of a long one costs.
    const size = typeof value === 'string' && value.length > left ? value.length : sizeOf(value);
    this.#left -= size;
    return typeof value === 'string' && size > left ? this.#cut(value, left) : this.#masker.json(value);
  }

  #cut(text: string, maxLength: number): string {
    const { unsureLength } = this.#masker;
    const near = text.slice(0, maxLength + unsureLength);
    const masked = this.#masker.text(near);
    const sure =
      near.length === text.length ? masked : masked.slice(0, Math.max(0, masked.length - unsureLength));
    const kept = sure.slice(0, maxLength);
    return `${kept.toWellFormed()} [cut: ${Math.max(0, text.length - maxLength)} more characters]`;
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

/** The outcome of a call, failed if its output is not JSON or is nested too deep. */
export function plainOutcome(outcome: Outcome): Outcome {
  if (!outcome.isSuccess) return outcome;
  const output = plainOutput(outcome.output);
  if (output) return { isSuccess: true, output };
  return {
    isSuccess: false,
    errorMessage: `The call was made, but its result is not JSON, or is nested more than ${MAX_DEPTH} levels deep.`,
  };
}
