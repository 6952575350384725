import { fromBinary, toBinary } from '@bufbuild/protobuf';
import type { DescField, DescMessage, JsonObject, Message } from '@bufbuild/protobuf';
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { StructSchema } from '@bufbuild/protobuf/wkt';
import { decodeStruct, encodeStruct } from './struct-codec.ts';

/** Between a message and its bytes: what toBinary and fromBinary do, but faster for JSON in a Struct. */
export interface MessageCodec {
  toBytes(message: Message): Uint8Array<ArrayBuffer>;
  /** Throws if the bytes are not such a message. */
  fromBytes(bytes: Uint8Array): Message;
}

/** A field that is read and written here; all others are left to the library. */
interface OwnField {
  readonly name: string;
  readonly number: number;
  readonly isList: boolean;
  readonly toBytes: (value: unknown) => Uint8Array;
  readonly fromBytes: (bytes: Uint8Array) => unknown;
}

const codecs = new WeakMap<DescMessage, MessageCodec>();

/** The codec of a message type. */
export function messageCodec(desc: DescMessage): MessageCodec {
  let codec = codecs.get(desc);
  if (codec === undefined) codecs.set(desc, (codec = createCodec(desc)));
  return codec;
}

function createCodec(desc: DescMessage): MessageCodec {
  const fields = desc.fields.flatMap((field) => ownField(field) ?? []);
  if (fields.length === 0) {
    return { toBytes: (message) => toBinary(desc, message), fromBytes: (bytes) => fromBinary(desc, bytes) };
  }
  const byNumber = new Map(fields.map((field) => [field.number, field]));
  return {
    toBytes: (message) => write(desc, fields, message),
    fromBytes: (bytes) => read(desc, byNumber, bytes),
  };
}

/** Undefined for a field that holds no Struct. */
function ownField(field: DescField): OwnField | undefined {
  const isList = field.fieldKind === 'list';
  if (field.message === undefined || field.oneof !== undefined) return undefined;
  if (!isList && field.fieldKind !== 'message') return undefined;
  const { message: type } = field;
  const common = { name: field.localName, number: field.number, isList };
  if (type.typeName === StructSchema.typeName) {
    // The library keeps a field of this type as plain JSON, except in a list.
    if (isList) return undefined;
    return { ...common, toBytes: (value) => encodeStruct(value as JsonObject), fromBytes: decodeStruct };
  }
  if (!holdsStruct(type, new Set())) return undefined;
  const codec = (): MessageCodec => messageCodec(type);
  return {
    ...common,
    toBytes: (value) => codec().toBytes(value as Message),
    fromBytes: (bytes) => codec().fromBytes(bytes),
  };
}

function holdsStruct(desc: DescMessage, seen: Set<DescMessage>): boolean {
  if (seen.has(desc) || desc.file.proto.package === 'google.protobuf') return false;
  seen.add(desc);
  return desc.fields.some(
    ({ message }) =>
      message !== undefined && (message.typeName === StructSchema.typeName || holdsStruct(message, seen)),
  );
}

function write(desc: DescMessage, fields: readonly OwnField[], message: Message): Uint8Array<ArrayBuffer> {
  const rest = Object.assign(Object.create(Object.getPrototypeOf(message) as object), message) as Message &
    Record<string, unknown>;
  const parts: Uint8Array[] = [];
  for (const { name, number, isList, toBytes } of fields) {
    const value = rest[name];
    if (value === undefined) continue;
    rest[name] = isList ? [] : undefined;
    for (const one of isList ? (value as readonly unknown[]) : [value]) {
      const bytes = toBytes(one);
      parts.push(
        new BinaryWriter().tag(number, WireType.LengthDelimited).uint32(bytes.length).finish(),
        bytes,
      );
    }
  }
  return Buffer.concat([toBinary(desc, rest), ...parts]);
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
    // Its parts would have to be merged; nobody sends this.
    else if (!field.isList) return fromBinary(desc, bytes);
    else known.push(part);
  }
  const message = fromBinary(desc, Buffer.concat(rest)) as Message & Record<string, unknown>;
  for (const [{ name, isList, fromBytes }, found] of parts) {
    const values = found.map(fromBytes);
    message[name] = isList ? values : values[0];
  }
  return message;
}
