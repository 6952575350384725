import { isJsonArray, setMember } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { isJsonText, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { MASK } from '../secret-masking.ts';
import type { FlaggedPlaces, Place } from '../secret-fields/flagged-places.ts';
import { MaskedMembers } from '../value-masking.ts';
import type { Masker } from '../value-masking.ts';
import { CUT_MEMBERS, CUT_REST, jsonBeginning, textBeginning } from './json-beginning.ts';

/**
 * Maximum nesting depth of an output. Protobuf decoders stop at 100 nested messages, and a level of JSON takes two
 * messages; a deeper response could be sent but not read.
 */
export const MAX_DEPTH = 40;

/** The reason why an output that is not plain JSON is not returned. */
export const NOT_PLAIN = `The call was made, but its result is not JSON, or is nested more than ${MAX_DEPTH} levels deep.`;

/**
 * A tool's output as plain JSON: handlers may return values that become JSON only by serialization, such as dates.
 * Undefined if the output is not JSON or is deeper than MAX_DEPTH.
 */
export function plainOutput(output: JsonObject): JsonObject | undefined {
  // The depth is checked first: a deeper value would overflow the stack in the steps below.
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
 * Cuts an object to about `maxBytes` of JSON: keeps members, items and text from the start while they fit, and
 * replaces the rest by `[cut: …]`. An object that fits is returned itself.
 */
export function cutObject(value: JsonObject, maxBytes: number): JsonObject {
  // Nearly all objects fit, and serialising one costs a tenth of copying it.
  if (!isDeeperThan(value, MAX_DEPTH) && sizeOf(value) <= maxBytes) return value;
  return new Cutter(maxBytes).object(value, 0);
}

/** Tells which values are secret as a whole. */
interface Flags {
  readonly places: FlaggedPlaces;
  /** The secrecy of the root value. */
  readonly root: Place;
}

/**
 * Cuts an object like cutObject and masks its secrets. Only the kept part is searched for secrets, and no part of a
 * secret is kept. A masked text counts with its original size; a value that `flags` marks as secret counts with the
 * size of its mask. A part that is kept partially is not parsed.
 */
export function cutMaskedObject(
  value: LazyObject,
  maxBytes: number,
  masker: Masker,
  flags?: Flags,
): JsonObject {
  return new Cutter(maxBytes, masker, flags?.places).object(value, 0, flags?.root);
}

const maskNothing: Masker = {
  text: (value) => value,
  object: (value) => value,
  json: (value) => value,
  secrets: [],
  unsureLength: 0,
};

/** A digit and a comma become a mask with quotes and a comma. */
const MAX_GROWTH = 3;
/** Bytes of the note about a cut, per level. */
const CUT_NOTES = 1_000;

/** Bytes of JSON besides the members of an object or the items of an array. */
const BRACKETS = 2;

class Cutter {
  #left: number;

  readonly #masker: Masker;

  readonly #places: FlaggedPlaces | undefined;

  constructor(maxBytes: number, masker: Masker = maskNothing, places?: FlaggedPlaces) {
    this.#left = maxBytes;
    this.#masker = masker;
    this.#places = places;
  }

  object(value: LazyObject, depth: number, place: Place = 'plain'): JsonObject {
    this.#left -= BRACKETS;
    const kept = new MaskedMembers();
    const names = Object.keys(value);
    for (const [index, name] of names.entries()) {
      this.#left -= sizeOf(name) + 2;
      if (this.#left <= 0) {
        kept.set('[cut]', `${names.length - index} more members`);
        break;
      }
      const inside = typeof place === 'object' ? this.#places?.member(place, name) : place;
      kept.set(this.#masker.text(name), this.#json(value[name] ?? null, depth + 1, inside));
    }
    return kept.object;
  }

  #json(value: Json | LazyJson, depth: number, place: Place = 'plain'): Json {
    if (place === 'secret' && value !== null) {
      this.#left -= sizeOf(MASK);
      return MASK;
    }
    if (value instanceof LazyJson) {
      if (value.bytes.length <= this.#left) return this.#json(value.parse(), depth, place);
      return isJsonText(value) ? this.#textBeginning(value.bytes) : this.#beginning(value.bytes, place);
    }
    if (typeof value === 'object' && value !== null) {
      if (depth >= MAX_DEPTH) return '[cut: nested too deep]';
      return isJsonArray(value) ? this.#array(value, depth, place) : this.object(value, depth, place);
    }
    const left = Math.max(0, this.#left);
    // The text has at least this many bytes; serialising a long text is expensive.
    const size = typeof value === 'string' && value.length > left ? value.length : sizeOf(value);
    this.#left -= size;
    return typeof value === 'string' && size > left ? this.#cut(value, left) : this.#masker.json(value);
  }

  /** The texts are complete here, so every secret in them is found. */
  #beginning(json: Uint8Array, place: Place): Json {
    const left = Math.max(0, this.#left);
    this.#left -= json.length;
    const beginning = (maxBytes: number): Json => this.#withoutFlagged(jsonBeginning(json, maxBytes), place);
    const whole = beginning(left);
    // A mask may be longer than the text that it replaces.
    const isWithin = place === 'plain' || sizeOf(whole) <= left + CUT_NOTES;
    return this.#masker.json(isWithin ? whole : beginning(left / MAX_GROWTH));
  }

  /** A kept beginning without values that are secret as a whole; it still has the note about the cut. */
  #withoutFlagged(part: Json, place: Place): Json {
    if (place === 'plain' || part === null || part === CUT_REST || part === CUT_MEMBERS) return part;
    if (place === 'secret') return MASK;
    if (typeof part !== 'object') return part;
    const inside = (of: (places: FlaggedPlaces) => Place): Place =>
      this.#places === undefined ? 'secret' : of(this.#places);
    if (isJsonArray(part))
      return part.map((item, index) =>
        this.#withoutFlagged(
          item,
          inside((places) => places.item(place, index)),
        ),
      );
    const preview = {};
    for (const [name, member] of Object.entries(part))
      setMember(
        preview,
        name,
        this.#withoutFlagged(
          member,
          inside((places) => places.member(place, name)),
        ),
      );
    return preview;
  }

  #cut(text: string, maxLength: number): string {
    const near = text.slice(0, maxLength + this.#masker.unsureLength);
    const kept = this.#maskedBeginning(near, maxLength, near.length === text.length);
    return `${kept} [cut: ${Math.max(0, text.length - maxLength)} more characters]`;
  }

  /** Masks the beginning of a text that is still JSON-encoded. */
  #textBeginning(json: Uint8Array): string {
    const left = Math.max(0, this.#left);
    this.#left -= json.length;
    const near = textBeginning(json, left + this.#masker.unsureLength);
    return `${this.#maskedBeginning(near, left, false)} ${CUT_REST}`;
  }

  /** At most `maxLength` characters of a beginning, with complete secrets masked and partial secrets removed. */
  #maskedBeginning(near: string, maxLength: number, isWhole: boolean): string {
    const masked = this.#masker.text(near);
    const sure = isWhole ? masked : masked.slice(0, Math.max(0, masked.length - this.#masker.unsureLength));
    return sure.slice(0, maxLength).toWellFormed();
  }

  #array(value: readonly Json[], depth: number, place: Place): Json {
    this.#left -= BRACKETS;
    const kept: Json[] = [];
    for (const [index, item] of value.entries()) {
      this.#left -= 1;
      if (this.#left <= 0) {
        kept.push(`[cut: ${value.length - kept.length} more items]`);
        break;
      }
      const inside = typeof place === 'object' ? this.#places?.item(place, index) : place;
      kept.push(this.#json(item, depth + 1, inside));
    }
    return kept;
  }
}

function sizeOf(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value));
}
