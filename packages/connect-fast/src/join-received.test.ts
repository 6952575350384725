import { expect, test } from 'vitest';
import { joinReceived } from './join-received.ts';

const own = (text: string): Buffer => Buffer.from(new Uint8Array(Buffer.from(text)).buffer);

test('the bytes are in one buffer, in their order', () => {
  expect(joinReceived([own('ab'), own('c'), own('de')]).toString()).toBe('abcde');
  expect(joinReceived([])).toHaveLength(0);
  const only = own('only');
  expect(joinReceived([only])).toBe(only);
  expect(only.toString()).toBe('only');
});

test('memory of chunks is given back, unless somebody else uses it', () => {
  const [first, second] = [own('ab'), own('cd')];
  const shared = own('efgh');
  expect(joinReceived([first, second, shared.subarray(0, 2)]).toString()).toBe('abcdef');
  expect([first.length, second.length, shared.toString()]).toEqual([0, 0, 'efgh']);
});
