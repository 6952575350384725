import { create, createFileRegistry, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { DescMessage, JsonObject, JsonValue, Message } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  StructSchema,
  file_google_protobuf_struct,
} from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from 'vitest';
import { messageCodec } from './message-codec.ts';
import { decodeStruct, encodeStruct } from './struct-codec.ts';

/** `message Node { string name = 1; Struct data = 2; Node child = 3; repeated Node nodes = 4; string last = 5; }` */
const node = buildNode();
const codec = messageCodec(node);

function buildNode(): DescMessage {
  const optional = { label: Label.OPTIONAL };
  const self = { type: Type.MESSAGE, typeName: '.test.Node' };
  const file = create(FileDescriptorProtoSchema, {
    name: 'test.proto',
    package: 'test',
    syntax: 'proto3',
    dependency: ['google/protobuf/struct.proto'],
    messageType: [
      {
        name: 'Node',
        field: [
          { name: 'name', number: 1, ...optional, type: Type.STRING },
          { name: 'data', number: 2, ...optional, type: Type.MESSAGE, typeName: '.google.protobuf.Struct' },
          { name: 'child', number: 3, ...optional, ...self },
          { name: 'nodes', number: 4, label: Label.REPEATED, ...self },
          { name: 'last', number: 5, ...optional, type: Type.STRING },
        ],
      },
    ],
  });
  const files = create(FileDescriptorSetSchema, { file: [file_google_protobuf_struct.proto, file] });
  const found = createFileRegistry(files).getMessage('test.Node');
  if (found === undefined) throw new Error('The message type is missing.');
  return found;
}

const DATA: readonly JsonObject[] = [
  {},
  { '': '' },
  { a: 1, b: -0.5, c: 1e300, d: 0, e: true, f: false, g: null },
  { list: [[], {}, [1, [2, [3]]], 'x', null, { deep: { deeper: [{}] } }] },
  { 'é€\u{1f642}': 'é€\u{1f642}', long: 'x'.repeat(200), longer: 'é'.repeat(20_000) },
  { 3: 'c', 1: 'a', b: 'b', constructor: 1, toString: { valueOf: [] } },
  Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`k${index}`, index])),
  JSON.parse('{"__proto__":{"a":1},"b":{"__proto__":[2]}}') as JsonObject,
];

const nested = (levels: number): JsonObject => {
  let value: JsonValue = {};
  for (let level = 1; level < levels; level += 1) value = level % 2 === 0 ? { value } : [value];
  return { value };
};

describe('a Struct', () => {
  test.each(DATA)('has the bytes that the library writes, and reads as JSON: %#', (data) => {
    const bytes = encodeStruct(data);
    expect(Buffer.from(bytes).equals(Buffer.from(libraryBytes(data)))).toBe(true);
    expect(JSON.stringify(decodeStruct(bytes))).toBe(JSON.stringify(data));
    expect(Object.getPrototypeOf(decodeStruct(bytes))).toBe(Object.prototype);
  });

  test('may have 50 levels; more are not read', () => {
    expect(decodeStruct(encodeStruct(nested(49)))).toEqual(nested(49));
    expect(() => decodeStruct(encodeStruct(nested(50)))).toThrow('more than 50 levels');
    expect(() => decodeStruct(encodeStruct(nested(5_000)))).toThrow('more than 50 levels');
  });

  test('that is cut anywhere is refused where the library refuses it', () => {
    const accepts = (read: () => unknown): boolean => {
      try {
        read();
        return true;
      } catch {
        return false;
      }
    };
    const bytes = encodeStruct(DATA[3] ?? {});
    for (let length = 0; length < bytes.length; length += 1) {
      const cut = bytes.subarray(0, length);
      expect(
        accepts(() => decodeStruct(cut)),
        String(length),
      ).toBe(accepts(() => fromBinary(StructSchema, cut)));
    }
  });

  test('fields of a newer release are skipped', () => {
    const unknown = [
      0x78, 0x96, 0x01, 0x7a, 0x02, 0x68, 0x69, 0x7d, 1, 2, 3, 4, 0x79, 1, 2, 3, 4, 5, 6, 7, 8,
    ];
    const bytes = encodeStruct({ a: [1] });
    expect(decodeStruct(Uint8Array.from([...unknown, ...bytes, ...unknown]))).toEqual({ a: [1] });
  });
});

/** What the library writes for the field `data`, without tag and length. */
function libraryBytes(data: JsonObject): Uint8Array {
  const message = toBinary(node, create(node, { data }));
  const inner = encodeStruct(data).length;
  return message.subarray(message.length - inner);
}

describe('a message with Structs', () => {
  const messages = DATA.map((data, index) =>
    create(node, {
      name: `n${index}`,
      data,
      child: { data, last: 'l' },
      nodes: [{ name: 'first' }, { data, nodes: [{ data: { a: [1] } }] }],
      last: 'end',
    }),
  );

  test.each(messages)('is read by the library as it was, and so are its own bytes: %#', (message) => {
    expect(fromBinary(node, codec.toBytes(message))).toEqual(message);
    expect(codec.fromBytes(toBinary(node, message))).toEqual(message);
    expect(codec.fromBytes(codec.toBytes(message))).toEqual(message);
  });

  test('is not changed when it is written', () => {
    const [, , message] = messages;
    const before = structuredClone(message);
    codec.toBytes(message as Message);
    expect(structuredClone(message)).toEqual(before);
  });

  test('may lack them', () => {
    expect(codec.fromBytes(codec.toBytes(create(node)))).toEqual(create(node));
    expect(codec.fromBytes(new Uint8Array())).toEqual(create(node));
  });

  test('whose Struct is sent in two parts is merged, as the library does', () => {
    const part = (data: JsonObject) => toBinary(node, create(node, { data }));
    const bytes = Buffer.concat([part({ a: 1 }), part({ b: 2 })]);
    expect(codec.fromBytes(bytes)).toEqual(fromBinary(node, bytes));
  });

  test('keeps fields of a newer release', () => {
    const bytes = Buffer.concat([toBinary(node, create(node, { name: 'a' })), Buffer.from([0x78, 1])]);
    const message = codec.fromBytes(bytes);
    expect(message.$unknown).toMatchObject([{ no: 15 }]);
    expect(Buffer.from(codec.toBytes(message)).equals(bytes)).toBe(true);
  });
});
