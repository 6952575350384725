import { create, createFileRegistry, fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import type { DescMessage, JsonObject, JsonValue, Message } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  StructSchema,
  ValueSchema,
  file_google_protobuf_struct,
} from '@bufbuild/protobuf/wkt';
import type { Value } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from 'vitest';
import { fromValue, toValue } from './json-value.ts';
import { messageCodec } from './message-codec.ts';
import { decodeStruct, encodeStruct } from './struct-codec.ts';

/** `message Node { string name = 1; Struct data = 2; Node child = 3; repeated Node nodes = 4; string last = 5; Value value = 6; repeated Value values = 7; optional bytes raw = 8; map<string, bytes> files = 9; bytes plain = 10; }` */
const node = buildNode();
const codec = messageCodec(node);

function buildNode(): DescMessage {
  const optional = { label: Label.OPTIONAL };
  const value = { type: Type.MESSAGE, typeName: '.google.protobuf.Value' };
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
          { name: 'value', number: 6, ...optional, ...value },
          { name: 'values', number: 7, label: Label.REPEATED, ...value },
          { name: 'raw', number: 8, ...optional, type: Type.BYTES, proto3Optional: true, oneofIndex: 0 },
          {
            name: 'files',
            number: 9,
            label: Label.REPEATED,
            type: Type.MESSAGE,
            typeName: '.test.Node.FilesEntry',
          },
          { name: 'plain', number: 10, ...optional, type: Type.BYTES },
        ],
        oneofDecl: [{ name: '_raw' }],
        nestedType: [
          {
            name: 'FilesEntry',
            options: { mapEntry: true },
            field: [
              { name: 'key', number: 1, ...optional, type: Type.STRING },
              { name: 'value', number: 2, ...optional, type: Type.BYTES },
            ],
          },
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
  {
    // Enough for names to be cached: some again, some of one hash, some of one beginning.
    records: Array.from({ length: 400 }, (_, index) => ({
      name: 1,
      ...(index % 3 === 0 && { other: 'x' }),
      [`n${index % 7}`]: { name: index, é: 1, '': 2, ['long'.repeat(9)]: 3 },
      [`${'Aa'.repeat(index % 4)}${'BB'.repeat(3 - (index % 4))}`]: null,
    })),
    ...Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`name${index}`.slice(0, 7), index])),
  },
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
    expect(() => decodeStruct(encodeStruct(nested(1_000)))).toThrow('more than 50 levels');
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

describe('a message with Values', () => {
  const values: readonly JsonValue[] = [
    null,
    true,
    false,
    0,
    -1.5,
    '',
    'é€\u{1f642}',
    [],
    [[null], {}],
    ...DATA,
  ];

  test.each(values)('is read by the library as it was, and so are its own bytes: %#', (json) => {
    const message = create(node, { value: toValue(json), values: [toValue(json), toValue(null)] });
    const made = fromJson(ValueSchema, json);
    const library = create(node, { value: made, values: [made, fromJson(ValueSchema, null)] });
    expect(Buffer.from(codec.toBytes(message)).equals(toBinary(node, library))).toBe(true);
    expect(Buffer.from(codec.toBytes(library)).equals(toBinary(node, library))).toBe(true);
    expect(toBinary(node, message)).toEqual(toBinary(node, library));
    expect(codec.fromBytes(codec.toBytes(message))).toEqual(library);
    expect(toJson(node, message)).toEqual(toJson(node, library));
  });

  test.each(values)('gives back its JSON, whoever made it: %#', (json) => {
    expect(fromValue(toValue(json))).toBe(json);
    expect(fromValue(fromJson(ValueSchema, json))).toEqual(json);
    const read = codec.fromBytes(codec.toBytes(create(node, { value: toValue(json) })));
    expect(JSON.stringify(fromValue((read as Message & { value: Value }).value))).toBe(JSON.stringify(json));
  });

  test('may lack them, or their content', () => {
    expect(fromValue(undefined)).toBeUndefined();
    const empty = codec.fromBytes(codec.toBytes(create(node, { value: create(ValueSchema) })));
    expect(empty).toEqual(create(node, { value: create(ValueSchema) }));
    expect(fromValue((empty as Message & { value: Value }).value)).toBeUndefined();
  });

  test('may have 50 levels; more are not read', () => {
    const bytes = (levels: number) => codec.toBytes(create(node, { value: toValue(nested(levels)) }));
    expect(() => codec.fromBytes(bytes(49))).not.toThrow();
    expect(() => codec.fromBytes(bytes(50))).toThrow('more than 50 levels');
  });
});

describe('a message with bytes', () => {
  const messages = [
    { raw: Uint8Array.of(1, 2) },
    { raw: new Uint8Array() },
    { plain: new Uint8Array() },
    { name: 'n', plain: Uint8Array.of(1, 2), raw: Uint8Array.of(3) },
    { plain: new Uint8Array(70_000).fill(8), nodes: [{ plain: Uint8Array.of(9) }] },
    {
      files: {
        a: Uint8Array.of(3),
        '': new Uint8Array(),
        'é€': new Uint8Array(70_000).fill(7),
        __proto__x: Uint8Array.of(0),
      },
    },
    { name: 'n', data: { a: 1 }, raw: new Uint8Array(70_000).fill(9), files: { b: Uint8Array.of(4) } },
    { nodes: [{ raw: Uint8Array.of(5), files: { c: Uint8Array.of(6) } }] },
  ].map((init) => create(node, init));

  test.each(messages)('is read by the library as it was, and so are its own bytes: %#', (message) => {
    expect(Buffer.from(codec.toBytes(message)).equals(toBinary(node, message))).toBe(true);
    // Of a Buffer, the bytes would be Buffers.
    expect(fromBinary(node, new Uint8Array(codec.toBytes(message)))).toEqual(message);
    expect(codec.fromBytes(toBinary(node, message))).toEqual(message);
  });

  test.each(messages)('is the same in pieces: %#', (message) => {
    expect(Buffer.concat(codec.toPieces(message)).equals(toBinary(node, message))).toBe(true);
  });

  test('is not copied into its pieces if it is large, and the rest is joined', () => {
    const large = new Uint8Array(70_000);
    const pieces = codec.toPieces(
      create(node, {
        name: 'n',
        raw: Uint8Array.of(1),
        files: { a: large, b: Uint8Array.of(2), c: Uint8Array.of(3) },
        nodes: [{ raw: large }],
      }),
    );
    expect(pieces.filter((piece) => piece === large)).toHaveLength(2);
    expect(pieces.length).toBeLessThanOrEqual(5);
  });

  test('is not copied when it is read', () => {
    const bytes = codec.toBytes(
      create(node, { raw: new Uint8Array(70_000), files: { a: new Uint8Array(70_000) } }),
    );
    const read = codec.fromBytes(bytes) as Message & { raw: Uint8Array; files: Record<string, Uint8Array> };
    expect(read.raw.buffer).toBe(bytes.buffer);
    expect(read.files['a']?.buffer).toBe(bytes.buffer);
  });

  test('sent twice is the last one, as for the library, and so is a name of a map', () => {
    const part = (byte: number) =>
      toBinary(
        node,
        create(node, {
          raw: Uint8Array.of(byte),
          plain: Uint8Array.of(byte),
          files: { a: Uint8Array.of(byte) },
        }),
      );
    const bytes = Buffer.concat([part(1), part(2)]);
    expect(codec.fromBytes(bytes)).toEqual(fromBinary(node, bytes));
  });

  test('may have parts of an entry that are missing, or of a newer release', () => {
    for (const entry of [[], [0x0a, 1, 0x61], [0x12, 1, 7], [0x78, 1, 0x12, 1, 7, 0x0a, 1, 0x61]]) {
      const bytes = Uint8Array.from([0x4a, entry.length, ...entry]);
      expect(codec.fromBytes(bytes)).toEqual(fromBinary(node, bytes));
    }
    expect(() => codec.fromBytes(Uint8Array.from([0x4a, 2, 0x12, 1]))).toThrow(RangeError);
  });
});
