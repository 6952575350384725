import { randomUUID } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { validationError } from '@fairlead/errors/api-error';
import { checkJsonBounds } from './json-bounds.ts';

/**
 * Maximum values that parse() builds: more than any edge admits, because values around it count too. Protobuf readers
 * stop at this depth of a Struct.
 */
const BOUNDS = { maxValues: 200_000, maxNames: 20_000, maxDepth: 50 };
const EXCEEDED = {
  values: `must not hold more than ${BOUNDS.maxValues} JSON values`,
  names: `must not hold more than ${BOUNDS.maxNames} different names`,
  depth: `must not be nested more than ${BOUNDS.maxDepth} levels deep`,
};

const QUOTE = 0x22;

/** A read-only JSON value. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** An object whose members may be unparsed. */
export type LazyObject = { readonly [name: string]: Json | LazyJson };

/** A value whose parts may be unparsed, at any depth. */
export type LazyValue = Json | LazyJson | readonly LazyValue[] | { readonly [name: string]: LazyValue };

/** State of jsonPieces while JSON.stringify runs. */
interface Writing {
  /** An unguessable placeholder for each LazyJson, created on first use. */
  mark: string;
  readonly met: Uint8Array[];
}

let writing: Writing | undefined;

/**
 * Unparsed JSON in UTF-8, which is passed on and only parsed when a rule reads it. jsonBytes and jsonPieces copy its
 * bytes, at any depth of another value. JSON.stringify alone would parse it.
 */
export class LazyJson {
  /** The bytes are not checked before parse(). */
  readonly bytes: Uint8Array;
  readonly #name: string;
  #value: JsonValue | undefined;

  /** `name` is the value's path in the request, for errors of parse(). */
  constructor(bytes: Uint8Array, name = 'json') {
    this.bytes = bytes;
    this.#name = name;
  }

  /** The JSON of a value, which must not be changed afterwards. */
  static of(value: unknown): LazyJson {
    const json = new LazyJson(jsonBytes(value));
    // The value can be serialised.
    json.#value = value as JsonValue;
    return json;
  }

  /** The object in a field of a message. An absent field has no bytes, and stands for an object without members. */
  static object(bytes: Uint8Array, name?: string): LazyJson {
    return bytes.length === 0 ? NO_MEMBERS : new LazyJson(bytes, name);
  }

  get text(): string {
    return bufferOf(this.bytes).toString();
  }

  /**
   * The value, which is parsed only once and must not be changed. VALIDATION_ERROR if the bytes are not JSON in
   * UTF-8, or exceed a limit.
   */
  parse(): JsonValue {
    return (this.#value ??= this.#parsed());
  }

  /** Parses an object; VALIDATION_ERROR for any other value. */
  parseObject(): JsonObject {
    const value = this.parse();
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    throw this.#refusal('must be an object');
  }

  /** Called by JSON.stringify. */
  toJSON(): unknown {
    return markOf(this.bytes) ?? this.parse();
  }

  #parsed(): JsonValue {
    const { exceeded } = checkJsonBounds(this.bytes, BOUNDS);
    if (exceeded !== undefined) throw this.#refusal(EXCEEDED[exceeded]);
    if (!isUtf8(this.bytes)) throw this.#refusal('must be JSON in UTF-8');
    try {
      return JSON.parse(this.text) as JsonValue;
    } catch {
      throw this.#refusal('must be JSON in UTF-8');
    }
  }

  #refusal(issue: string): Error {
    return validationError({ field: this.#name, issue });
  }
}

/** The placeholder for these bytes while jsonPieces runs; otherwise undefined. */
function markOf(json: Uint8Array): string | undefined {
  if (writing === undefined) return undefined;
  if (writing.mark === '') writing.mark = randomUUID();
  writing.met.push(json);
  return writing.mark;
}

/**
 * Serialises a value like JSON.stringify. If it contains a LazyJson, at any depth, that is not parsed: the result
 * then consists of parts of the JSON in UTF-8, including the LazyJson's bytes.
 */
export function jsonPieces(value: unknown): string | readonly Uint8Array[] {
  const before = writing;
  const now: Writing = { mark: '', met: [] };
  writing = now;
  let text: string;
  try {
    text = JSON.stringify(value);
  } finally {
    writing = before;
  }
  const { mark, met } = now;
  if (met.length === 0) return text;
  return text.split(`"${mark}"`).flatMap((part, at) => [Buffer.from(part), ...met.slice(at, at + 1)]);
}

/** The serialised value as text. */
export function jsonText(value: unknown): string {
  const pieces = jsonPieces(value);
  return typeof pieces === 'string' ? pieces : Buffer.concat(pieces).toString();
}

/** The serialised value in one piece. */
export function jsonBytes(value: unknown): Buffer {
  if (value instanceof LazyJson) return bufferOf(value.bytes);
  const pieces = jsonPieces(value);
  return typeof pieces === 'string' ? Buffer.from(pieces) : Buffer.concat(pieces);
}

/** Whether a value, parsed or not, is a string. */
export function isJsonText(value: LazyValue | undefined): boolean {
  return typeof value === 'string' || (value instanceof LazyJson && value.bytes[0] === QUOTE);
}

/** A copy of the value with all parts parsed. */
export function parsed(value: LazyValue): Json {
  if (value instanceof LazyJson) return value.parse();
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return value.map(parsed);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, parsed(member)] as const));
}

/** The object with all members parsed; already parsed parts are not copied. */
export function parsedMembers(object: LazyObject): { readonly [name: string]: Json } {
  const members = Object.entries(object);
  return Object.fromEntries(
    members.map(([name, member]) => [name, member instanceof LazyJson ? member.parse() : member] as const),
  );
}

/** Array.isArray, which does not narrow a readonly array type. */
function isArray(value: LazyValue): value is readonly LazyValue[] {
  return Array.isArray(value);
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

const NO_MEMBERS = LazyJson.of({});
