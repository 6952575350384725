import { create, createFileRegistry, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { DescMessage, Message } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from 'vitest';
import { messageCodec } from './message-codec.ts';

/** `message Node { string name = 1; Node child = 3; repeated Node nodes = 4; string last = 5; optional bytes raw_json = 8; map<string, bytes> files = 9; bytes plain = 10; }` */
const node = buildNode();
const codec = messageCodec(node);

function buildNode(): DescMessage {
  const optional = { label: Label.OPTIONAL };
  const self = { type: Type.MESSAGE, typeName: '.test.Node' };
  const file = create(FileDescriptorProtoSchema, {
    name: 'test.proto',
    package: 'test',
    syntax: 'proto3',
    messageType: [
      {
        name: 'Node',
        field: [
          { name: 'name', number: 1, ...optional, type: Type.STRING },
          { name: 'child', number: 3, ...optional, ...self },
          { name: 'nodes', number: 4, label: Label.REPEATED, ...self },
          { name: 'last', number: 5, ...optional, type: Type.STRING },
          { name: 'raw_json', number: 8, ...optional, type: Type.BYTES, proto3Optional: true, oneofIndex: 0 },
          {
            name: 'files',
            number: 9,
            label: Label.REPEATED,
            type: Type.MESSAGE,
            typeName: '.test.Node.FilesEntry',
          },
          { name: 'plain', number: 10, ...optional, type: Type.BYTES },
        ],
        oneofDecl: [{ name: '_raw_json' }],
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
  const files = create(FileDescriptorSetSchema, { file: [file] });
  const found = createFileRegistry(files).getMessage('test.Node');
  if (found === undefined) throw new Error('The message type is missing.');
  return found;
}

describe('a message', () => {
  test('is not changed when it is written', () => {
    const message = create(node, { rawJson: Uint8Array.of(1), nodes: [{ plain: Uint8Array.of(2) }] });
    const before = structuredClone(message);
    codec.toBytes(message);
    expect(structuredClone(message)).toEqual(before);
  });

  test('may lack all fields', () => {
    expect(codec.fromBytes(codec.toBytes(create(node)))).toEqual(create(node));
    expect(codec.fromBytes(new Uint8Array())).toEqual(create(node));
  });

  test('in it that is sent in two parts is merged, as the library does', () => {
    const part = (init: object) => toBinary(node, create(node, { child: init }));
    const bytes = Buffer.concat([part({ name: 'a' }), part({ last: 'b' })]);
    expect(codec.fromBytes(bytes)).toEqual(fromBinary(node, bytes));
  });

  test('keeps fields of a newer release', () => {
    const bytes = Buffer.concat([toBinary(node, create(node, { name: 'a' })), Buffer.from([0x78, 1])]);
    const message = codec.fromBytes(bytes);
    expect(message.$unknown).toMatchObject([{ no: 15 }]);
    expect(Buffer.from(codec.toBytes(message)).equals(bytes)).toBe(true);
  });
});

describe('a message with bytes', () => {
  const messages = [
    { rawJson: Uint8Array.of(1, 2) },
    { rawJson: new Uint8Array() },
    { plain: new Uint8Array() },
    { name: 'n', plain: Uint8Array.of(1, 2), rawJson: Uint8Array.of(3) },
    { plain: new Uint8Array(70_000).fill(8), nodes: [{ plain: Uint8Array.of(9) }] },
    {
      files: {
        a: Uint8Array.of(3),
        '': new Uint8Array(),
        'é€': new Uint8Array(70_000).fill(7),
        __proto__x: Uint8Array.of(0),
      },
    },
    {
      name: 'n',
      child: { last: 'l' },
      rawJson: new Uint8Array(70_000).fill(9),
      files: { b: Uint8Array.of(4) },
    },
    { nodes: [{ rawJson: Uint8Array.of(5), files: { c: Uint8Array.of(6) } }] },
  ].map((init) => create(node, init));

  test.each(messages)('is read by the library as it was, and so are its own bytes: %#', (message) => {
    expect(Buffer.from(codec.toBytes(message)).equals(toBinary(node, message))).toBe(true);
    // The bytes of a Buffer would be Buffers, not Uint8Arrays.
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
        rawJson: Uint8Array.of(1),
        files: { a: large, b: Uint8Array.of(2), c: Uint8Array.of(3) },
        nodes: [{ rawJson: large }],
      }),
    );
    expect(pieces.filter((piece) => piece === large)).toHaveLength(2);
    expect(pieces.length).toBeLessThanOrEqual(5);
  });

  test('is not copied when it is read', () => {
    const bytes = codec.toBytes(
      create(node, { rawJson: new Uint8Array(70_000), files: { a: new Uint8Array(70_000) } }),
    );
    const read = codec.fromBytes(bytes) as Message & {
      rawJson: Uint8Array;
      files: Record<string, Uint8Array>;
    };
    expect(read.rawJson.buffer).toBe(bytes.buffer);
    expect(read.files['a']?.buffer).toBe(bytes.buffer);
  });

  test('sent twice is the last one, as for the library, and so is a name of a map', () => {
    const part = (byte: number) =>
      toBinary(
        node,
        create(node, {
          rawJson: Uint8Array.of(byte),
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
