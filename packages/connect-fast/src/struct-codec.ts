import type { JsonObject, JsonValue } from '@bufbuild/protobuf';

// google.protobuf.Struct and Value, between their bytes and JSON, without a message object for each value in between: those
// cost ten times as much. The bytes are the standard ones (google/protobuf/struct.proto).

/** A tag is a field number and how its value is written. */
const ENTRY = 0x0a;
const KEY = 0x0a;
const VALUE = 0x12;
const ITEM = 0x0a;
const NULL = 0x08;
const NUMBER = 0x11;
const STRING = 0x1a;
const BOOL = 0x20;
const STRUCT = 0x2a;
const LIST = 0x32;

/** Most levels of objects and arrays in what is read; protobuf libraries stop at half of 100 as well. */
const MAX_LEVELS = 50;
/** How a value is written: the last three bits of its tag. */
const WIRE = { varint: 0, bit64: 1, lengthDelimited: 2, bit32: 5 };
const MAX_VARINT_BYTES = 10;
const INITIAL_BYTES = 1024;
const FIRST_NOT_ASCII = 0x80;
/** Longer texts are faster in native code. */
const MAX_SHORT_TEXT = 32;
/** Names that a reader keeps, a power of two. */
const KEPT_NAMES = 512;
/** Fewer bytes hold too few names for it. */
const MIN_BYTES_TO_KEEP_NAMES = 2_048;

/** The bytes of a Struct message. */
export function encodeStruct(value: JsonObject): Uint8Array<ArrayBuffer> {
  const writer = new BackwardWriter();
  writer.struct(value);
  return writer.written();
}

/** The JSON in the bytes of a Struct message. Throws if they are none, or nest too deep. */
export function decodeStruct(bytes: Uint8Array): JsonObject {
  return new StructReader(bytes).struct(bytes.length, 1);
}

/** The bytes of a Value message. */
export function encodeValue(value: JsonValue): Uint8Array<ArrayBuffer> {
  const writer = new BackwardWriter();
  writer.value(value);
  return writer.written();
}

/** The JSON in the bytes of a Value message; undefined if it holds no kind of value. Throws as decodeStruct does. */
export function decodeValue(bytes: Uint8Array): JsonValue | undefined {
  return new StructReader(bytes).value(bytes.length, 0);
}

/** Writes from the end, so that the length of each part is known when it has to be written: before the part. */
class BackwardWriter {
  #buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  /** Position of the first byte written. */
  #at = INITIAL_BYTES;

  written(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(this.#at);
  }

  struct(value: JsonObject): void {
    const names = Object.keys(value);
    for (let index = names.length - 1; index >= 0; index -= 1) {
      const name = names[index] ?? '';
      const end = this.#end();
      const member = value[name];
      if (member === undefined) continue;
      this.value(member, VALUE);
      this.#text(name, KEY);
      this.#prefix(ENTRY, end);
    }
  }

  /** Without a tag: the whole message. */
  value(value: JsonValue, tag?: number): void {
    const end = this.#end();
    if (typeof value === 'string') {
      this.#text(value, STRING);
    } else if (typeof value === 'number') {
      this.#reserve(9);
      this.#at -= 8;
      this.#buffer.writeDoubleLE(value, this.#at);
      this.#byte(NUMBER);
    } else if (typeof value === 'boolean' || value === null) {
      this.#reserve(2);
      this.#byte(value === true ? 1 : 0);
      this.#byte(value === null ? NULL : BOOL);
    } else if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index -= 1) this.value(value[index] ?? null, ITEM);
      this.#prefix(LIST, end);
    } else {
      this.struct(value);
      this.#prefix(STRUCT, end);
    }
    if (tag !== undefined) this.#prefix(tag, end);
  }

  #text(text: string, tag: number): void {
    const end = this.#end();
    const { length } = text;
    let index = length - 1;
    if (length <= MAX_SHORT_TEXT) {
      // A code unit is three bytes at most.
      this.#reserve(length * 3);
      const buffer = this.#buffer;
      const from = this.#at - length;
      for (; index >= 0; index -= 1) {
        const code = text.charCodeAt(index);
        if (code >= FIRST_NOT_ASCII) break;
        buffer[from + index] = code;
      }
      if (index < 0) this.#at = from;
    }
    if (index >= 0) {
      const bytes = Buffer.byteLength(text);
      this.#reserve(bytes);
      this.#at -= bytes;
      this.#buffer.write(text, this.#at);
    }
    this.#prefix(tag, end);
  }

  /** Distance from the end of the buffer, which stays the same when the buffer grows. */
  #end(): number {
    return this.#buffer.length - this.#at;
  }

  /** Writes tag and length in front of what was written since `end`. */
  #prefix(tag: number, end: number): void {
    this.#reserve(6);
    let length = this.#end() - end;
    if (length < 0x80) this.#byte(length);
    else {
      let size = 1;
      for (let rest = length; rest >= 0x80; rest = Math.floor(rest / 0x80)) size += 1;
      this.#at -= size;
      for (let index = 0; index < size; index += 1) {
        const isLast = index === size - 1;
        this.#buffer[this.#at + index] = (length % 0x80) + (isLast ? 0 : 0x80);
        length = Math.floor(length / 0x80);
      }
    }
    this.#byte(tag);
  }

  #byte(byte: number): void {
    this.#at -= 1;
    this.#buffer[this.#at] = byte;
  }

  #reserve(bytes: number): void {
    if (this.#at >= bytes) return;
    const used = this.#end();
    // With room for what usually precedes a long text.
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, used + bytes + INITIAL_BYTES));
    this.#buffer.copy(larger, larger.length - used, this.#at);
    this.#buffer = larger;
    this.#at = larger.length - used;
  }
}

const PLAIN = { enumerable: true, configurable: true, writable: true };

class StructReader {
  readonly #buffer: Buffer;
  readonly #names: NameCache | undefined;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bytes.length >= MIN_BYTES_TO_KEEP_NAMES) this.#names = new NameCache(this.#buffer);
  }

  /** The object in the bytes up to `end`. */
  struct(end: number, level: number): JsonObject {
    if (level > MAX_LEVELS) throw tooDeep();
    const object: JsonObject = {};
    while (this.#at < end) {
      const tag = this.#varint(end);
      if (tag === ENTRY) this.#entry(object, this.#partEnd(end), level);
      else this.#skip(tag, end);
    }
    return object;
  }

  #entry(object: JsonObject, end: number, level: number): void {
    let name = '';
    let value: JsonValue | undefined;
    while (this.#at < end) {
      const tag = this.#varint(end);
      if (tag === KEY) name = this.#name(this.#partEnd(end));
      else if (tag === VALUE) value = this.#value(this.#partEnd(end), level);
      else this.#skip(tag, end);
    }
    if (value === undefined) throw malformed();
    // An assignment would set the prototype.
    if (name === '__proto__') Object.defineProperty(object, name, { ...PLAIN, value });
    else object[name] = value;
  }

  #list(end: number, level: number): JsonValue[] {
    if (level > MAX_LEVELS) throw tooDeep();
    const items: JsonValue[] = [];
    while (this.#at < end) {
      const tag = this.#varint(end);
      if (tag === ITEM) items.push(this.#value(this.#partEnd(end), level));
      else this.#skip(tag, end);
    }
    return items;
  }

  #value(end: number, level: number): JsonValue {
    const value = this.value(end, level);
    if (value === undefined) throw malformed();
    return value;
  }

  /** The value in the bytes up to `end`; undefined if there is none. */
  value(end: number, level: number): JsonValue | undefined {
    let value: JsonValue | undefined;
    while (this.#at < end) {
      const tag = this.#varint(end);
      if (tag === STRING) value = this.#text(this.#partEnd(end));
      else if (tag === NUMBER) value = this.#double(end);
      else if (tag === BOOL) value = this.#varint(end) !== 0;
      else if (tag === STRUCT) value = this.struct(this.#partEnd(end), level + 1);
      else if (tag === LIST) value = this.#list(this.#partEnd(end), level + 1);
      else {
        this.#skip(tag, end);
        if (tag === NULL) value = null;
      }
    }
    return value;
  }

  #text(end: number): string {
    const text = this.#buffer.toString('utf8', this.#at, end);
    this.#at = end;
    return text;
  }

  #name(end: number): string {
    const cached = this.#names?.find(this.#at, end);
    if (cached === undefined) return this.#text(end);
    this.#at = end;
    return cached;
  }

  #double(end: number): number {
    this.#at += 8;
    if (this.#at > end) throw malformed();
    return this.#buffer.readDoubleLE(this.#at - 8);
  }

  /** Reads the length of a part, and returns where the part ends. */
  #partEnd(end: number): number {
    const length = this.#varint(end);
    const partEnd = this.#at + length;
    if (partEnd > end) throw malformed();
    return partEnd;
  }

  #varint(end: number): number {
    let value = 0;
    for (let factor = 1, size = 0; size < MAX_VARINT_BYTES; factor *= 0x80, size += 1) {
      if (this.#at >= end) throw malformed();
      const byte = this.#buffer[this.#at] ?? 0;
      this.#at += 1;
      value += (byte % 0x80) * factor;
      if (byte < 0x80) return value;
    }
    throw malformed();
  }

  /** Skips a field of a newer release. */
  #skip(tag: number, end: number): void {
    const wireType = tag % 8;
    if (wireType === WIRE.varint) this.#varint(end);
    else if (wireType === WIRE.lengthDelimited) this.#at = this.#partEnd(end);
    else if (wireType === WIRE.bit64 || wireType === WIRE.bit32) this.#at += wireType === WIRE.bit64 ? 8 : 4;
    else throw malformed();
    if (this.#at > end) throw malformed();
  }
}

/** Short names that occur again are not built again: records of equal names are read in half the time. */
class NameCache {
  readonly #buffer: Buffer;
  readonly #starts = new Uint32Array(KEPT_NAMES);
  readonly #names: string[] = Array<string>(KEPT_NAMES).fill('');

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  /** The name at these bytes; undefined if it is long or empty. */
  find(start: number, end: number): string | undefined {
    const length = end - start;
    if (length === 0 || length > MAX_SHORT_TEXT) return undefined;
    const buffer = this.#buffer;
    let hash = length;
    for (let at = start; at < end; at += 1) hash = Math.imul(hash, 31) + (buffer[at] ?? 0);
    const slot = (hash ^ (hash >>> 9)) & (KEPT_NAMES - 1);
    const kept = this.#names[slot] ?? '';
    if (kept !== '' && this.#isSame(this.#starts[slot] ?? 0, start, length)) return kept;
    const name = buffer.toString('utf8', start, end);
    this.#starts[slot] = start;
    this.#names[slot] = name;
    return name;
  }

  #isSame(kept: number, start: number, length: number): boolean {
    const buffer = this.#buffer;
    // The length is kept with the name, in front of its bytes: names here are shorter than 128 bytes.
    if (buffer[kept - 1] !== length) return false;
    for (let at = 0; at < length; at += 1) if (buffer[kept + at] !== buffer[start + at]) return false;
    return true;
  }
}

function malformed(): Error {
  return new TypeError('The bytes are not a Struct.');
}

function tooDeep(): Error {
  return new RangeError(`A Struct has more than ${MAX_LEVELS} levels.`);
}
