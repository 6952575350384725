import type { JsonObject } from '@bufbuild/protobuf';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { afterAll, describe, expect, test } from 'vitest';
import { parseBody } from '../body.ts';
import { MAX_JSON_VALUES } from '../json-bounds.ts';
import { createBodyThread } from './body-thread.ts';

const charged: (readonly [string, number])[] = [];
const thread = createBodyThread((accountId, cpuMs) => void charged.push([accountId, cpuMs]));
afterAll(() => thread.close());

const BOUNDS = { maxBodyValues: MAX_JSON_VALUES };
const parse = (text: string | Buffer, passesOn: readonly string[] = []): Promise<JsonObject> =>
  thread.parse('acc_1', Buffer.from(text), { ...BOUNDS, passesOn });
const numbers = Array.from({ length: 10_000 }, (_, at) => at);
const many = Object.fromEntries(numbers.slice(0, 4_000).map((at) => [`m${at}`, at]));

test.each<[string, JsonObject]>([
  ['small parts', { a: 1, b: [1, { c: null }] }],
  ['a large array', { list: numbers, after: true }],
  ['a large member of a member', { fields: { url: '/', body: { rows: numbers } }, top: 1 }],
  ['a large member of an item', { filters: [{ field: 'a', value: numbers }, { field: 'b' }] }],
  ['lists of lists', { a: [[numbers], [[many]]] }],
  ['many small members', { fields: many }],
  ['a large text', { text: 'é'.repeat(100_000) }],
  ['a large text in a member', { fields: { a: 1, text: 'é\n'.repeat(50_000), b: 2 } }],
])('a body with %s is what it is in place', async (_name, body) => {
  const text = JSON.stringify(body);
  expect(await parse(text)).toEqual(body);
  expect(JSON.stringify(await parse(text))).toBe(text);
  expect(JSON.stringify(await parse(text, ['*', '*.*', 'filters.*.value', 'no.such.*']))).toBe(text);
});

const bytesOf = (value: unknown): number | undefined =>
  value instanceof LazyJson ? value.bytes.length : undefined;
const memberOf = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce((holder, name) => Reflect.get(Object(holder), name), value);

test('large values at the paths of a route are not parsed, nor small ones and others', async () => {
  const large = 'é'.repeat(20_000);
  const sent = {
    fields: { body: numbers, text: large, url: '/' },
    filters: [{ field: 'a', value: numbers }, { value: 1 }],
    list: numbers,
    small: [1],
    other: { text: large },
  };
  const body = await parse(JSON.stringify(sent), ['fields.*', 'filters.*.value', 'list', 'small']);
  const lengths = JSON.stringify(numbers).length;
  expect(bytesOf(memberOf(body, 'fields', 'body'))).toBe(lengths);
  expect(bytesOf(memberOf(body, 'fields', 'text'))).toBe(40_002);
  expect(memberOf(body, 'fields', 'url')).toBe('/');
  expect(bytesOf(memberOf(body, 'filters', '0', 'value'))).toBe(lengths);
  expect(bytesOf(body['list'])).toBe(lengths);
  expect([memberOf(body, 'filters', '1'), body['small'], body['other']]).toEqual([
    { value: 1 },
    [1],
    { text: large },
  ]);
  expect(charged).toContainEqual(['acc_1', expect.any(Number)]);
});

describe('a body is refused as it is in place', () => {
  test.each<[string, string | Buffer]>([
    ['that is no JSON', '{"a":'],
    ['that is no object', '[1]'],
    ['that is no UTF-8', Buffer.from([0x7b, 0xff])],
    ['with too many values', `{"a":[${'1,'.repeat(MAX_JSON_VALUES)}1]}`],
    ['with text that is not Unicode', String.raw`{"a":{"b":"\ud800"}}`],
  ])('%s', async (_name, text) => {
    const inPlace = (): unknown => parseBody(Buffer.from(text), BOUNDS);
    let expected: unknown;
    try {
      inPlace();
    } catch (error) {
      expected = error;
    }
    const { code, message, details } = expected as { code: string; message: string; details: unknown };
    await expect(parse(text)).rejects.toMatchObject({ code, message, details });
  });
});
