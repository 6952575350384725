import { create } from '@bufbuild/protobuf';
import { StreamAddressed_PieceSchema } from '@fairlead/contracts/gateway/v1/client_streams_pb';
import { expect, test } from 'vitest';
import { Assembly } from './assembly.ts';

const LIMITS = { messageBytes: 10, totalBytes: 15 };

const piece = (messageId: string, offset: number, totalBytes: number, text: string) =>
  create(StreamAddressed_PieceSchema, { messageId, offset, totalBytes, data: Buffer.from(text) });
const textOf = (assembled: unknown): unknown =>
  assembled instanceof Uint8Array ? Buffer.from(assembled).toString() : assembled;

test('pieces of several messages become whole messages', () => {
  const assembly = new Assembly(LIMITS);
  expect(assembly.add(piece('a', 0, 6, 'abc'), 0)).toBe('more');
  expect(assembly.add(piece('b', 0, 4, 'xy'), 0)).toBe('more');
  expect(textOf(assembly.add(piece('a', 3, 6, 'def'), 0))).toBe('abcdef');
  expect(textOf(assembly.add(piece('b', 2, 4, 'zw'), 0))).toBe('xyzw');
});

test('a message in one piece is whole, whatever else is being put together', () => {
  const assembly = new Assembly({ messageBytes: 1, totalBytes: 0 });
  expect(textOf(assembly.add(piece('a', 0, 3, 'abc'), 0))).toBe('abc');
});

test('beyond the bounds of all messages, another has to wait until one is whole', () => {
  const assembly = new Assembly(LIMITS);
  assembly.add(piece('a', 0, 10, 'aaaaa'), 0);
  expect(assembly.add(piece('b', 0, 6, 'bbb'), 0)).toBe('busy');
  expect(textOf(assembly.add(piece('a', 5, 10, 'aaaaa'), 0))).toBe('aaaaaaaaaa');
  expect(assembly.add(piece('b', 0, 6, 'bbb'), 0)).toBe('more');
});

test('a message that is too large, has a gap or outgrows itself is refused', () => {
  const assembly = new Assembly(LIMITS);
  expect(assembly.add(piece('a', 0, 11, 'a'), 0)).toBe('refused');
  assembly.add(piece('b', 0, 6, 'bb'), 0);
  expect(assembly.add(piece('b', 3, 6, 'bbb'), 0)).toBe('refused');
  expect(assembly.add(piece('b', 2, 6, 'bbbb'), 0)).toBe('refused');
  assembly.add(piece('c', 0, 3, 'cc'), 0);
  expect(assembly.add(piece('c', 2, 3, 'cc'), 0)).toBe('refused');
  expect(assembly.add(piece('d', 0, 3, ''), 0)).toBe('refused');
});

test('a message whose other pieces do not come makes room after a minute', () => {
  const assembly = new Assembly(LIMITS);
  assembly.add(piece('a', 0, 10, 'aaaaa'), 0);
  assembly.sweep(60_000);
  expect(assembly.add(piece('b', 0, 10, 'b'), 60_000)).toBe('busy');
  assembly.sweep(60_001);
  expect(assembly.add(piece('b', 0, 10, 'b'), 60_001)).toBe('more');
  expect(assembly.add(piece('a', 5, 10, 'aaaaa'), 60_001)).toBe('refused');
});
