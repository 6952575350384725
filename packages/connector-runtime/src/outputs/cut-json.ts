import { isJsonArray, setMember } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { isJsonText, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { MASK } from '../secret-masking.ts';
import type { FlaggedPlaces, Place } from '../secret-fields/flagged-places.ts';
import { MaskedMembers } from '../value-masking.ts';
import type { Masker } from '../value-masking.ts';
import { CUT_MEMBERS, CUT_REST, jsonBeginning, textBeginning } from './json-beginning.ts';

/**
 * How deep an output may nest. Protobuf decoders stop at 100 nested messages, and a level of JSON takes two: a deeper
 * response could be sent but not read.
 */
export const MAX_DEPTH = 40;

/** Why an output that is not plain is not returned. */
export const NOT_PLAIN = `The call was made, but its result is not JSON, or is nested more than ${MAX_DEPTH} levels deep.`;

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
 * they fit, and states what is omitted in its place as `[cut: …]`. An object that fits is returned itself.
 */
export function cutObject(value: JsonObject, maxBytes: number): JsonObject {
  // Nearly all fit, and to write one as JSON costs a tenth of building it again.
  if (!isDeeperThan(value, MAX_DEPTH) && sizeOf(value) <= maxBytes) return value;
  return new Cutter(maxBytes).object(value, 0);
}

/** Where a value is secret as a whole. */
interface Flags {
  readonly places: FlaggedPlaces;
  /** The place of the value itself. */
  readonly root: Place;
}

/**
 * The same for an object whose secrets are masked: only the kept part is searched for secrets, and no part of a secret is
 * kept. A masked text counts with its original size; a value that `flags` call secret as a whole counts as its mask.
 * A part of which only a beginning is kept is not parsed.
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

/** A digit and a comma become a mask with its quotes and a comma. */
const MAX_GROWTH = 3;
/** Bytes of what says that a beginning was cut, at each of its levels. */
const CUT_NOTES = 1_000;

/** Bytes of JSON around the members of an object or the items of an array. */
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
    // A text has at least so many bytes, and the JSON of a long one costs.
    const size = typeof value === 'string' && value.length > left ? value.length : sizeOf(value);
    this.#left -= size;
    return typeof value === 'string' && size > left ? this.#cut(value, left) : this.#masker.json(value);
  }

  /** Its texts are whole, so that every secret in them is found. */
  #beginning(json: Uint8Array, place: Place): Json {
    const left = Math.max(0, this.#left);
    this.#left -= json.length;
    const shown = (maxBytes: number): Json => this.#withoutFlagged(jsonBeginning(json, maxBytes), place);
    const whole = shown(left);
    // A mask may be larger than what it stands for.
    const isWithin = place === 'plain' || sizeOf(whole) <= left + CUT_NOTES;
    return this.#masker.json(isWithin ? whole : shown(left / MAX_GROWTH));
  }

  /** A beginning without what is secret as a whole; it still says that it was cut. */
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
    const shown = {};
    for (const [name, member] of Object.entries(part))
      setMember(
        shown,
        name,
        this.#withoutFlagged(
          member,
          inside((places) => places.member(place, name)),
        ),
      );
    return shown;
  }

  #cut(text: string, maxLength: number): string {
    const near = text.slice(0, maxLength + this.#masker.unsureLength);
    const kept = this.#maskedBeginning(near, maxLength, near.length === text.length);
    return `${kept} [cut: ${Math.max(0, text.length - maxLength)} more characters]`;
  }

  /** The same for a text that nobody has decoded. */
  #textBeginning(json: Uint8Array): string {
    const left = Math.max(0, this.#left);
    this.#left -= json.length;
    const near = textBeginning(json, left + this.#masker.unsureLength);
    return `${this.#maskedBeginning(near, left, false)} ${CUT_REST}`;
  }

  /** At most `maxLength` characters of a beginning, with every secret masked that is whole in it, and no part of another one. */
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
