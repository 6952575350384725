import { randomUUID } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { validationError } from '@fairlead/errors/api-error';
import { checkJsonBounds } from './json-bounds.ts';

/**
 * The most that parse() builds: more than any edge lets in, since what is wrapped around a value counts too. Protobuf readers stop
 * at as many levels of a Struct.
 */
const BOUNDS = { maxValues: 200_000, maxNames: 20_000, maxDepth: 50 };
const EXCEEDED = {
  values: `must not hold more than ${BOUNDS.maxValues} JSON values`,
  names: `must not hold more than ${BOUNDS.maxNames} different names`,
  depth: `must not be nested more than ${BOUNDS.maxDepth} levels deep`,
};

const QUOTE = 0x22;

/** A JSON value that nothing changes. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** An object whose members may be passed on unparsed. */
export type LazyObject = { readonly [name: string]: Json | LazyJson };

/** A value of which parts may be passed on unparsed, at any depth. */
export type LazyValue = Json | LazyJson | readonly LazyValue[] | { readonly [name: string]: LazyValue };

/** State of jsonPieces while JSON.stringify runs. */
interface Writing {
  /** Stands for each LazyJson; created for the first. Nobody can guess it. */
  mark: string;
  readonly met: Uint8Array[];
}

let writing: Writing | undefined;

/**
 * JSON that is passed on: its text in UTF-8, which nothing parses until a rule reads it. jsonBytes and jsonPieces write the bytes
 * as they are, at any depth of another value. JSON.stringify alone would parse them.
 */
export class LazyJson {
  /** Not checked before parse(). */
  readonly bytes: Uint8Array;
  readonly #name: string;
  #value: JsonValue | undefined;

  /** `name` is the path of the value in the request, for the error of parse(). */
  constructor(bytes: Uint8Array, name = 'json') {
    this.bytes = bytes;
    this.#name = name;
  }

  /** The JSON of a value, which must not change afterwards. */
  static of(value: unknown): LazyJson {
    const json = new LazyJson(jsonBytes(value));
    // It has JSON.
    json.#value = value as JsonValue;
    return json;
  }

  /** The object in a field of a message. A field that was left out has no bytes, and is an object without members. */
  static object(bytes: Uint8Array, name?: string): LazyJson {
    return bytes.length === 0 ? NO_MEMBERS : new LazyJson(bytes, name);
  }

  get text(): string {
    return bufferOf(this.bytes).toString();
  }

  /** The value, which must not be changed: it is parsed once. VALIDATION_ERROR if the bytes are not JSON in UTF-8, or pass a bound. */
  parse(): JsonValue {
    return (this.#value ??= this.#parsed());
  }

  /** The same for an object; VALIDATION_ERROR for any other value. */
  parseObject(): JsonObject {
    const value = this.parse();
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    throw this.#refusal('must be an object');
  }

  /** JSON.stringify calls it. */
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

/** The text that stands for these bytes while jsonPieces writes; otherwise undefined. */
function markOf(json: Uint8Array): string | undefined {
  if (writing === undefined) return undefined;
  if (writing.mark === '') writing.mark = randomUUID();
  writing.met.push(json);
  return writing.mark;
}

/**
 * The text that JSON.stringify writes for a value that has JSON. If a LazyJson is in it, at any depth, it is not parsed: the result
 * is then the parts of the JSON in UTF-8, the bytes of the LazyJson among them.
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

/** The same as text. */
export function jsonText(value: unknown): string {
  const pieces = jsonPieces(value);
  return typeof pieces === 'string' ? pieces : Buffer.concat(pieces).toString();
}

/** The same in one piece. */
export function jsonBytes(value: unknown): Buffer {
  if (value instanceof LazyJson) return bufferOf(value.bytes);
  const pieces = jsonPieces(value);
  return typeof pieces === 'string' ? Buffer.from(pieces) : Buffer.concat(pieces);
}

/** Whether a value is a text, which nobody may have parsed. */
export function isJsonText(value: LazyValue | undefined): boolean {
  return typeof value === 'string' || (value instanceof LazyJson && value.bytes[0] === QUOTE);
}

/** A copy of the value with every part parsed. */
export function parsed(value: LazyValue): Json {
  if (value instanceof LazyJson) return value.parse();
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return value.map(parsed);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, parsed(member)] as const));
}

/** The object with every member parsed; what was parsed already is not copied. */
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
