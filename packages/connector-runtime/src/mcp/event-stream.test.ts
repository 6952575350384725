import { expect, it } from 'vitest';
import { EventStream } from './event-stream.ts';

function readAll(pieces: Iterable<string>): string[] {
  const stream = new EventStream();
  return [...pieces]
    .flatMap((piece) => stream.push(piece))
    .map(({ type, data }) => (type === 'message' ? data : `${type}: ${data}`));
}

it.each([
  ['one message', 'data: {"a":1}\n\n', ['{"a":1}']],
  ['data without a space', 'data:a\n\n', ['a']],
  ['several lines', 'id: 7\ndata: a\ndata: b\n\n', ['a\nb']],
  ['every kind of line break', 'data: a\r\ndata: b\r\n\r\ndata: c\r\rdata: d\n\n', ['a\nb', 'c', 'd']],
  ['comments and retries', ': hello\nretry: 5\n\ndata: a\n\n', ['a']],
  ['types', 'event: message\ndata: a\n\nevent: ping\ndata: b\n\ndata: c\n\n', ['a', 'ping: b', 'c']],
  ['not what has no end', 'data: a\n\ndata: b\n', ['a']],
])('reads %s, in one piece and in pieces of one character', (_name, text, messages) => {
  expect(readAll([text])).toEqual(messages);
  expect(readAll(text)).toEqual(messages);
});

it('is linear in the text, in pieces of one character too: otherwise the test would not end in its time', () => {
  const data = 'x'.repeat(1_000_000);
  expect(readAll(`data: ${data}\n\n`)).toEqual([data]);
});
