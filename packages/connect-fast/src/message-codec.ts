import { fromBinary, ScalarType, toBinary } from '@bufbuild/protobuf';
import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** Encodes and decodes a message type like toBinary and fromBinary, but copies its bytes fields only once. */
export interface MessageCodec {
  toBytes(message: Message): Uint8Array;
  /** Encodes to at least one piece. A large bytes field is a piece of its own, which is not copied. */
  toPieces(message: Message): readonly Uint8Array[];
  /** Decodes; throws if the bytes are not such a message. */
  fromBytes(bytes: Uint8Array): Message;
}

/** A field that is encoded and decoded here; the RPC library handles all others. */
interface OwnField {
  readonly name: string;
  readonly number: number;
  /** The value that the library gets instead of the field's value. */
  readonly none: () => unknown;
  /** The field's encoded parts, in pieces. */
  readonly toParts: (value: unknown) => readonly (readonly Uint8Array[])[];
  /** Decodes the field's parts. Undefined if the library has to merge them. */
  readonly fromParts: (parts: readonly Uint8Array[]) => unknown;
}

const codecs = new WeakMap<DescMessage, MessageCodec>();

/** Creates the codec of a message type. */
export function messageCodec(desc: DescMessage): MessageCodec {
  let codec = codecs.get(desc);
  if (codec === undefined) codecs.set(desc, (codec = createCodec(desc)));
  return codec;
}

function createCodec(desc: DescMessage): MessageCodec {
  const fields = desc.fields.flatMap((field) => ownField(field) ?? []);
  if (fields.length === 0) {
    return {
      toBytes: (message) => toBinary(desc, message),
      toPieces: (message) => [toBinary(desc, message)],
      fromBytes: (bytes) => fromBinary(desc, bytes),
    };
  }
  const byNumber = new Map(fields.map((field) => [field.number, field]));
  return {
    toBytes: (message) => inOne(write(desc, fields, message)),
    toPieces: (message) => joinSmall(write(desc, fields, message)),
    fromBytes: (bytes) => read(desc, byNumber, bytes),
  };
}

/** The codec of a field; undefined if it holds no bytes. */
function ownField(field: DescField): OwnField | undefined {
  if (field.oneof !== undefined) return undefined;
  const { localName: name, number } = field;
  switch (field.fieldKind) {
    case 'scalar':
      if (field.scalar !== ScalarType.BYTES) return undefined;
      return { name, number, ...(field.proto.proto3Optional ? OPTIONAL_BYTES : PLAIN_BYTES) };
    case 'map':
      if (field.mapKind !== 'scalar' || field.scalar !== ScalarType.BYTES) return undefined;
      return field.mapKey === ScalarType.STRING ? { name, number, ...BYTES_BY_NAME } : undefined;
    case 'list': {
      const codec = field.message && codecOf(field.message);
      return codec && { name, number, ...repeated(codec) };
    }
    case 'message': {
      const codec = codecOf(field.message);
      return codec && { name, number, ...single(codec) };
    }
    default:
      return undefined;
  }
}

interface PartCodec {
  readonly toPieces: (value: unknown) => readonly Uint8Array[];
  readonly fromBytes: (bytes: Uint8Array) => unknown;
}

function codecOf(type: DescMessage): PartCodec | undefined {
  if (!holdsJson(type, new Set())) return undefined;
  return {
    toPieces: (value) => messageCodec(type).toPieces(value as Message),
    fromBytes: (bytes) => messageCodec(type).fromBytes(bytes),
  };
}

type OwnKind = Pick<OwnField, 'none' | 'toParts' | 'fromParts'>;

function single({ toPieces, fromBytes }: PartCodec): OwnKind {
  return {
    none: () => undefined,
    toParts: (value) => [toPieces(value)],
    // Several parts would have to be merged, but no sender produces them.
    fromParts: ([first, ...others]) =>
      first === undefined || others.length > 0 ? undefined : fromBytes(first),
  };
}

function repeated({ toPieces, fromBytes }: PartCodec): OwnKind {
  return {
    none: () => [],
    toParts: (value) => (value as readonly unknown[]).map(toPieces),
    fromParts: (parts) => parts.map(fromBytes),
  };
}

const OPTIONAL_BYTES = single({
  toPieces: (value) => [value as Uint8Array],
  fromBytes: (bytes) => bytes,
});

/** An unset field is empty and not sent. */
const PLAIN_BYTES: OwnKind = {
  ...OPTIONAL_BYTES,
  none: () => new Uint8Array(),
  toParts: (value) => ((value as Uint8Array).length === 0 ? [] : OPTIONAL_BYTES.toParts(value)),
};

const KEY = 0x0a;
const VALUE = 0x12;

/** A map from text to bytes. Each entry is a message with two fields. */
const BYTES_BY_NAME: OwnKind = {
  none: () => ({}),
  toParts: (value) =>
    Object.entries(value as Record<string, Uint8Array>).map(([name, bytes]) => {
      const key = Buffer.from(name);
      return [lengthPrefix(KEY, key.length), key, lengthPrefix(VALUE, bytes.length), bytes];
    }),
  fromParts(parts) {
    const entries = parts.map((part) => {
      const reader = new BinaryReader(part);
      let name = '';
      let bytes: Uint8Array = new Uint8Array();
      while (reader.pos < reader.len) {
        const [number, wireType] = reader.tag();
        if (number === 1) name = reader.string();
        else if (number === 2) bytes = reader.bytes();
        else reader.skip(wireType, number);
      }
      return [name, bytes] as const;
    });
    return Object.fromEntries(entries);
  },
};

function lengthPrefix(tag: number, length: number): Uint8Array {
  const prefix = Buffer.allocUnsafe(varintSize(tag) + varintSize(length));
  putVarint(prefix, putVarint(prefix, 0, tag), length);
  return prefix;
}

/**
 * Whether a nested message may contain JSON, which may be large; such fields are named by convention. The library
 * handles other nested messages.
 */
function holdsJson(desc: DescMessage, seen: Set<DescMessage>): boolean {
  if (seen.has(desc)) return false;
  seen.add(desc);
  return desc.fields.some(
    ({ localName, message }) =>
      localName.endsWith('Json') || (message !== undefined && holdsJson(message, seen)),
  );
}

function write(desc: DescMessage, fields: readonly OwnField[], message: Message): readonly Uint8Array[] {
  const rest = Object.assign(Object.create(Object.getPrototypeOf(message) as object), message) as Message &
    Record<string, unknown>;
  const pieces: Uint8Array[] = [];
  for (const { name, number, none, toParts } of fields) {
    const value = rest[name];
    if (value === undefined) continue;
    rest[name] = none();
    for (const part of toParts(value)) {
      pieces.push(lengthPrefix(number * 8 + WireType.LengthDelimited, lengthOf(part)), ...part);
    }
  }
  return [toBinary(desc, rest), ...pieces];
}

/** Copying up to this many bytes costs less than a separate write. */
const MAX_COPIED_BYTES = 32 * 1024;

/** Total length of the pieces. */
export function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

/** The pieces as one text, with a character per byte. */
export function latin1Of(pieces: readonly Uint8Array[]): string {
  return pieces
    .map(({ buffer, byteOffset, byteLength }) =>
      Buffer.from(buffer, byteOffset, byteLength).toString('latin1'),
    )
    .join('');
}

function inOne(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces;
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces);
}

/** Joins small pieces with their neighbours. */
export function joinSmall(pieces: readonly Uint8Array[]): readonly Uint8Array[] {
  const joined: Uint8Array[] = [];
  let small: Uint8Array[] = [];
  const flush = (): void => {
    if (small.length > 0) joined.push(inOne(small));
    small = [];
  };
  for (const piece of pieces) {
    if (piece.length > MAX_COPIED_BYTES) {
      flush();
      joined.push(piece);
    } else small.push(piece);
  }
  flush();
  return joined;
}

/** The encoded length of a protobuf varint. */
function varintSize(value: number): number {
  let size = 1;
  for (let left = value; left > 0x7f; left = Math.floor(left / 0x80)) size += 1;
  return size;
}

/** Writes a protobuf varint; returns the position after it. */
function putVarint(into: Uint8Array, at: number, value: number): number {
  let left = value;
  let place = at;
  for (; left > 0x7f; left = Math.floor(left / 0x80)) into[place++] = (left % 0x80) + 0x80;
  into[place++] = left;
  return place;
}

function read(desc: DescMessage, fields: ReadonlyMap<number, OwnField>, bytes: Uint8Array): Message {
  const reader = new BinaryReader(bytes);
  const parts = new Map<OwnField, Uint8Array[]>();
  const rest: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const [number, wireType] = reader.tag();
    const field = wireType === WireType.LengthDelimited ? fields.get(number) : undefined;
    if (field === undefined) {
      reader.skip(wireType, number);
      rest.push(bytes.subarray(start, reader.pos));
      continue;
    }
    const known = parts.get(field);
    const part = reader.bytes();
    if (known === undefined) parts.set(field, [part]);
    else known.push(part);
  }
  const message = fromBinary(desc, Buffer.concat(rest)) as Message & Record<string, unknown>;
  for (const [{ name, fromParts }, found] of parts) {
    const value = fromParts(found);
    if (value === undefined) return fromBinary(desc, bytes);
    message[name] = value;
  }
  return message;
}
