import type { JsonObject } from '@fairlead/connector-model/json';
import { expect, it } from 'vitest';
import type { BinaryPart } from './binary-parts.ts';
import { binaryBody, binaryContent, textAt, withoutBytes } from './binary-parts.ts';

/** The binary parts without their `textPath`, which must lead to their texts. */
const shown = (output: JsonObject, parts: Iterable<BinaryPart>) =>
  [...parts].map(({ textPath, ...part }) => {
    expect(textAt(output, textPath)).toBe(part.base64);
    return part;
  });
const bodyOf = (output: JsonObject) => shown(output, binaryBody(output));
const contentOf = (output: JsonObject) => shown(output, binaryContent(output));

it('the bytes of a response are its body, if that has nothing else and nothing is masked in it', () => {
  const headers = { 'content-type': 'image/png' };
  const part = { base64: 'AP8=', contentType: 'image/png', path: ['body'] };
  expect(bodyOf({ status: 200, headers, body: { base64: 'AP8=' } })).toEqual([part]);
  expect(bodyOf({ status: 200, body: { base64: 'AP8=' } })).toEqual([{ ...part, contentType: undefined }]);
  for (const other of [
    { body: { base64: 'AP8=' } },
    { status: 200, body: 'AP8=' },
    { status: 200, body: { base64: 'AP8=', name: 'a' } },
    { status: 200, body: { base64: '***' } },
    { status: 200, body: { base64: '' } },
  ])
    expect(bodyOf(other)).toEqual([]);
});

it('the bytes in the content of an MCP tool are those of images, sounds and resources', () => {
  const content = [
    { type: 'text', text: 'AP8=' },
    { type: 'image', data: 'AP8=', mimeType: 'image/png' },
    { type: 'audio', data: 'AQ==', mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'a://b', blob: 'Ag==', mimeType: 'application/gzip' } },
    { type: 'resource', resource: { uri: 'a://c', text: 'Ag==' } },
    { type: 'resource', resource: { uri: 'a://d', blob: 'Aw==' } },
    { type: 'resource_link', uri: 'a://e', blob: 'AP8=' },
    { type: 'image', data: 'AP***', mimeType: 'image/png' },
    { type: 'image', data: { fileId: 'file_1' } },
    'AP8=',
    null,
  ];
  expect(contentOf({ content })).toEqual([
    { base64: 'AP8=', contentType: 'image/png', path: ['content', 1, 'data'] },
    { base64: 'AQ==', contentType: 'audio/wav', path: ['content', 2, 'data'] },
    { base64: 'Ag==', contentType: 'application/gzip', path: ['content', 3, 'resource', 'blob'] },
    { base64: 'Aw==', contentType: undefined, path: ['content', 5, 'resource', 'blob'] },
  ]);
  const own = { content: [{ type: 'audio', data: 'AP8=' }], more: 1 };
  for (const none of [{}, { content: 'AP8=' }, { content: null }, own]) expect(contentOf(none)).toEqual([]);
});

it('counts the bytes of an MCP tool’s content in their place', () => {
  const text = { type: 'text', text: 'a' };
  const image = { type: 'image', data: 'AP8=', mimeType: 'image/png' };
  const blob = { type: 'resource', resource: { uri: 'a://b', blob: 'Ag==' } };
  expect(withoutBytes({ content: [text, image, blob, null] })).toEqual({
    content: [
      text,
      { ...image, data: '[cut: 2 bytes]' },
      { ...blob, resource: { uri: 'a://b', blob: '[cut: 1 bytes]' } },
      null,
    ],
  });
  for (const own of [{ content: [image], more: 1 }, { content: 'AP8=' }, { data: 'AP8=' }])
    expect(withoutBytes(own)).toBe(own);
});
