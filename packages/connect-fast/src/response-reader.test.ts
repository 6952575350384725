import { describe, expect, it } from 'vitest';
import { BodyTooLargeError, ResponseReader } from './response-reader.ts';

const MAX_BYTES = 64;

/** Reads a response in pieces of `size` bytes, all in the same buffer; stops once the response is complete. */
function readIn(size: number, text: string): { readonly reader: ResponseReader; readonly isDone: boolean } {
  const reader = new ResponseReader(MAX_BYTES);
  const bytes = Buffer.from(text, 'latin1');
  const buffer = Buffer.alloc(size);
  let isDone = false;
  for (let at = 0; at < bytes.length && !isDone; at += size) {
    const length = bytes.copy(buffer, 0, at, at + size);
    isDone = reader.read(buffer.subarray(0, length));
  }
  return { reader, isDone };
}

const response = (...lines: readonly string[]): string => lines.join('\r\n');
const bodyOf = (reader: ResponseReader): string => Buffer.from(reader.body).toString('latin1');

describe.each([
  ['of a length', response('HTTP/1.1 200 OK', 'Content-Length: 5', 'X-A: 1', 'x-a:  2 ', '', 'hello')],
  [
    'in chunks',
    response(
      'HTTP/1.1 200 OK',
      'Transfer-Encoding: chunked',
      'x-a: 1',
      'X-A: 2',
      '',
      '2;x=y',
      'he',
      '3',
      'llo',
      '0',
      'x-trailer: 1',
      '',
      '',
    ),
  ],
  [
    'after an informational one',
    response(
      'HTTP/1.1 103 Early',
      'link: x',
      '',
      'HTTP/1.1 200',
      'x-a: 1',
      'x-a: 2',
      'content-length: 5',
      '',
      'hello',
    ),
  ],
])('a response %s', (_, text) => {
  it('is the same in whatever pieces it arrives', () => {
    for (let size = 1; size <= text.length; size += 1) {
      const { reader, isDone } = readIn(size, text);
      expect({ isDone, status: reader.status, a: reader.headers['x-a'], body: bodyOf(reader) }).toEqual({
        isDone: true,
        status: 200,
        a: ['1', '2'],
        body: 'hello',
      });
      expect(reader.isKept).toBe(true);
    }
  });

  it('is incomplete until its last byte, also if the connection ends', () => {
    for (let length = 1; length < text.length; length += 1) {
      const { reader, isDone } = readIn(length, text.slice(0, length));
      expect(isDone).toBe(false);
      expect(reader.end()).toBe(false);
    }
  });

  it('that is followed by more bytes ends the use of its connection', () => {
    expect(readIn(text.length + 1, `${text}x`).reader.isKept).toBe(false);
  });
});

it('a response without a length ends with its connection', () => {
  const { reader, isDone } = readIn(7, response('HTTP/1.1 200 OK', '', 'hello'));
  expect(isDone).toBe(false);
  expect(reader.end()).toBe(true);
  expect(bodyOf(reader)).toBe('hello');
  expect(reader.isKept).toBe(false);
});

it('a response of a status that has no body has none', () => {
  expect(readIn(9, response('HTTP/1.1 204 No Content', 'content-length: 3', '', '')).isDone).toBe(true);
});

it.each(['Connection: close', 'connection: x, Close'])('%s ends the use of the connection', (header) => {
  const { reader } = readIn(100, response('HTTP/1.1 200 OK', header, 'content-length: 0', '', ''));
  expect(reader.isKept).toBe(false);
});

it('the connection of an HTTP/1.0 server is not used again', () => {
  const { reader } = readIn(100, response('HTTP/1.0 200 OK', 'content-length: 0', '', ''));
  expect(reader.isKept).toBe(false);
});

it.each([
  ['no HTTP', response('SSH-2.0-x', '', '')],
  ['HTTP/2', response('HTTP/2 200 OK', '', '')],
  ['a switch of protocols', response('HTTP/1.1 101 Switching', '', '')],
  ['endless informational responses', response('HTTP/1.1 100', '', '').repeat(17)],
  ['a head without an end', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(33 * 1024)}`],
  ['a header without a name', response('HTTP/1.1 200 OK', ': x', '', '')],
  ['a folded header', response('HTTP/1.1 200 OK', 'x: 1', ' 2', '', '')],
  ['a length with a sign', response('HTTP/1.1 200 OK', 'content-length: -1', '', '')],
  ['two lengths', response('HTTP/1.1 200 OK', 'content-length: 1', 'content-length: 1', '', '')],
  [
    'a length and chunks',
    response('HTTP/1.1 200 OK', 'content-length: 1', 'transfer-encoding: chunked', '', ''),
  ],
  ['another coding', response('HTTP/1.1 200 OK', 'transfer-encoding: gzip, chunked', '', '')],
  ['a chunk without a size', response('HTTP/1.1 200 OK', 'transfer-encoding: chunked', '', 'x', '')],
  [
    'a chunk longer than its size',
    response('HTTP/1.1 200 OK', 'transfer-encoding: chunked', '', '1', 'xy', ''),
  ],
  ['a bare line feed', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\nx\r\n'],
  ['a size without an end', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;${'x'.repeat(5 * 1024)}`],
])('%s is refused', (_, text) => {
  expect(() => readIn(1_000, text)).toThrow(Error);
});

it.each([
  ['announces', response('HTTP/1.1 200 OK', 'content-length: 65', '', '')],
  ['announces in a chunk', response('HTTP/1.1 200 OK', 'transfer-encoding: chunked', '', '41', '')],
  ['sends until the end', response('HTTP/1.1 200 OK', '', 'x'.repeat(65))],
])('a body that is larger than allowed is refused: it %s so', (_, text) => {
  expect(() => readIn(10, text)).toThrow(BodyTooLargeError);
});
