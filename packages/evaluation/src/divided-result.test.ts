import type { JsonObject } from '@fairlead/connector-model/json';
import { expect, it } from 'vitest';
import { divideMcpResult, divideOutput } from './divided-result.ts';

const SIZES = { maxBytes: 1_000, previewBytes: 100 };

const divided = (result: JsonObject) => divideMcpResult(result, SIZES);
const text = (content: string): JsonObject => ({ type: 'text', text: content });
const bytesOf = (length: number, byte = 0xff): string => Buffer.alloc(length, byte).toString('base64');
const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

it('of a text, the text is the file', () => {
  const { result, files } = divided({ content: [text('é'.repeat(1_000))], _meta: { a: 1 } });
  const contentType = 'text/plain; charset=utf-8';
  expect(files).toEqual([{ contentType, content: Buffer.from('é'.repeat(1_000)), at: 1, isWhole: true }]);
  expect(result).toEqual({
    content: [text(`${'é'.repeat(100)} [cut: 900 more characters]`)],
    _meta: { a: 1 },
  });
});

it('of an embedded text, the text is the file, of its own type', () => {
  const resource = { uri: 'x:1', mimeType: 'text/csv', text: 'a;b\n'.repeat(500) };
  const { result, files } = divided({ content: [{ type: 'resource', resource }] });
  expect(files).toEqual([
    { contentType: 'text/csv', content: Buffer.from(resource.text), at: 1, isWhole: true },
  ]);
  expect(result).toMatchObject({
    content: [{ resource: { text: expect.stringMatching(/^a;b\n.*\[cut: /s) as string } }],
  });
});

it('of several blocks, the result is the file, and the first ones that fit remain', () => {
  const image = { type: 'image', data: 'none', mimeType: 'a/b' };
  const content = [text('1'), image, text('t'.repeat(1_000)), text('2')];
  const { result, files } = divided({ content });
  expect(files).toMatchObject([{ contentType: 'application/json', at: 3, isWhole: true }]);
  expect(JSON.parse(Buffer.from(files[0]?.content ?? []).toString())).toEqual({ content });
  const beginning = text(expect.stringMatching(/^t+ \[cut: \d+ more characters\]$/) as string);
  expect(result['content']).toEqual([text('1'), image, beginning]);
});

it('large bytes are files in their places; what is left stays whole if it is small', () => {
  const images = Array.from({ length: 3 }, (_image, at) => ({
    type: 'image',
    data: bytesOf(600, at),
    mimeType: 'image/png',
  }));
  const small = { type: 'audio', data: bytesOf(3), mimeType: 'audio/wav' };
  const blob = { type: 'resource', resource: { uri: 'x:1', blob: bytesOf(400) } };
  const [first = {}, ...others] = images;
  const { result, files } = divided({ content: [first, text('a'), small, ...others, blob, text('b')] });
  expect(result).toEqual({ content: [text('a'), small, text('b')] });
  expect(files.map(({ at, content, contentType }) => [at, content.length, contentType])).toEqual([
    [0, 600, 'image/png'],
    [2, 600, 'image/png'],
    [2, 600, 'image/png'],
    [2, 400, ''],
  ]);
});

it('at most ten images become files of their own; the others are in the file of the rest', () => {
  const image = { type: 'image', data: bytesOf(600), mimeType: 'image/png' };
  const { result, files } = divided({ content: Array.from({ length: 13 }, () => image) });
  expect(files.map(({ isWhole }) => isWhole)).toEqual([...Array<boolean>(10).fill(false), true]);
  expect(JSON.parse(Buffer.from(files.at(-1)?.content ?? []).toString())).toEqual({
    content: [image, image, image],
  });
  expect(result).toEqual({ content: [] });
});

it('places stay right when blocks before them are left out', () => {
  const image = { type: 'image', data: bytesOf(600), mimeType: 'image/png' };
  const long = { type: 'other', value: 'v'.repeat(2_000) };
  const { result, files } = divided({ content: [text('a'), long, image, text('b')] });
  expect(result).toEqual({ content: [text('a')] });
  expect(files.map(({ at }) => at)).toEqual([1, 1]);
});

it('structured content keeps its form, and other members are bounded', () => {
  const structuredContent = { items: Array(1_000).fill('item'), count: 1_000 };
  const { result, files } = divided({ content: [], structuredContent, _meta: { huge: 'm'.repeat(5_000) } });
  expect(result).toMatchObject({ structuredContent: { count: 1_000, items: Array(7).fill('item') } });
  expect(sizeOf(result)).toBeLessThan(800);
  expect(files).toMatchObject([{ contentType: 'application/json' }]);
});

it('the output of another tool is a file, and its beginning structured content and a text', () => {
  const output = { items: Array(1_000).fill('item'), count: 1_000 };
  const json = Buffer.from(JSON.stringify(output));
  const { result, files } = divideOutput(output, json, SIZES);
  expect(files).toEqual([{ contentType: 'application/json', content: json, at: 1, isWhole: true }]);
  expect(result).toMatchObject({ structuredContent: { count: 1_000 } });
  expect(result['content']).toEqual([text(JSON.stringify(result['structuredContent']))]);
});
