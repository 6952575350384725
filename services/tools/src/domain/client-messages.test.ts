import { expect, test } from 'vitest';
import type { ClientMessage } from './call-message.ts';
import { ClientMessages } from './client-messages.ts';

const note = (at: number): ClientMessage => ({
  kind: 'notification',
  method: 'notifications/progress',
  params: { at },
});
const ROOTS: ClientMessage = { kind: 'request', key: 'ask_1', method: 'roots/list', params: {} };

async function readAll<T>(messages: AsyncIterable<T>): Promise<readonly T[]> {
  const read: T[] = [];
  for await (const message of messages) read.push(message);
  return read;
}

test('messages are read in order, as they come and after the end; later ones are dropped', async () => {
  const messages = new ClientMessages();
  const reader = messages[Symbol.asyncIterator]();
  const first = reader.next();
  messages.add(note(1));
  expect(await first).toEqual({ value: note(1), done: false });
  messages.add(ROOTS);
  messages.add(note(2));
  messages.end();
  messages.add(note(3));
  expect(await readAll(reader)).toEqual([ROOTS, note(2)]);
});

test('a client that reads slowly misses notifications, but no request', async () => {
  const messages = new ClientMessages();
  for (let at = 0; at < 200; at += 1) messages.add(note(at));
  messages.add(ROOTS);
  messages.end();
  const read = await readAll(messages);
  expect(read).toHaveLength(101);
  expect(read.at(-1)).toEqual(ROOTS);
});
