import { expect, test } from 'vitest';
import { deferJson, setDeferred } from './deferred-json.ts';
import { isJsonLarger } from './json-size.ts';

function withText(json: string): object {
  const object = { before: 1, text: null };
  setDeferred(object, 'text', Buffer.from(json));
  return object;
}

function withItem(json: string): object {
  const array = [1, null, [2]];
  setDeferred(array, '1', Buffer.from(json));
  return array;
}

test.each<[string, unknown]>([
  ['a text', 'aé一😀\n"'],
  ['a text of controls', '\u0000\u001F'.repeat(50)],
  ['a number', -1.5e-300],
  ['nothing', null],
  ['empty parts', [{}, [], '', 0, false]],
  ['an object', { a: { b: [1, 'x', { c: null }] }, é: 'é'.repeat(100) }],
  ['a deferred object', { a: [deferJson(Buffer.from('{"b":"é"}'))], b: 1 }],
  ['a deferred text in an array', withItem(String.raw`"é\n"`)],
  ['a deferred text', [withText(String.raw`"é\n"`)]],
])('%s is larger than anything below its bytes, and not than these', (_name, value) => {
  const { length } = Buffer.from(JSON.stringify(value));
  expect([0, length - 1, length, length + 1].map((bytes) => isJsonLarger(value, bytes))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('a member without a value has no bytes', () => {
  const value = { when: undefined, id: 'a' };
  expect([isJsonLarger(value, 10), isJsonLarger(value, 9)]).toEqual([false, true]);
});

test('what is deferred is not parsed, nor is more read than tells that the value is larger', () => {
  const unread = {
    get unread(): never {
      throw new Error('It was read.');
    },
  };
  expect(isJsonLarger([withText('"no JSON'), deferJson(Buffer.from('[no JSON'))], 1_000)).toBe(false);
  expect(isJsonLarger([withText('"no JSON'), unread], 10)).toBe(true);
  expect(isJsonLarger(['x'.repeat(1_000), unread], 1_000)).toBe(true);
  expect(isJsonLarger({ a: ['x'.repeat(1_000)], b: unread }, 1_000)).toBe(true);
});
