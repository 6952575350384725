import { expect, test } from 'vitest';
import { Outbox } from './outbox.ts';

const message = (text: string) => Buffer.from(text);
async function all(outbox: Outbox): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const bytes of outbox.messages()) texts.push(Buffer.from(bytes).toString());
  return texts;
}

test('messages arrive in their order, whether or not the reader waits for them', async () => {
  const outbox = new Outbox();
  outbox.offer(message('a'));
  const reading = all(outbox);
  await Promise.resolve();
  await outbox.push(message('b'));
  outbox.offer(message('c'));
  outbox.end();
  expect(await reading).toEqual(['a', 'b', 'c']);
});

test.each([
  ['bytes', { bytes: 3, messages: 9 }],
  ['messages', { bytes: 99, messages: 3 }],
])('beyond its %s, offered messages are dropped; pushed ones wait', async (_what, limits) => {
  const outbox = new Outbox(limits);
  for (const text of ['a', 'b', 'c', 'd']) outbox.offer(message(text));
  let isPushed = false;
  const pushing = outbox.push(message('e')).then(() => (isPushed = true));
  await new Promise(setImmediate);
  expect(isPushed).toBe(false);
  const reader = outbox.messages();
  const take = async () => Buffer.from((await reader.next()).value ?? []).toString();
  expect([await take(), await take()]).toEqual(['a', 'b']);
  await pushing;
  expect([await take(), await take()]).toEqual(['c', 'e']);
});

test('an end lets go of a sender that waits, and later messages are dropped', async () => {
  const outbox = new Outbox({ bytes: 1, messages: 1 });
  const pushing = Promise.all([outbox.push(message('a')), outbox.push(message('b'))]);
  outbox.end();
  await pushing;
  outbox.offer(message('c'));
  await outbox.push(message('d'));
  expect(await all(outbox)).toEqual(['a', 'b']);
});
