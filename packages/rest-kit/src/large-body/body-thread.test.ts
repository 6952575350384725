import type { JsonObject } from '@bufbuild/protobuf';
import { jsonOf, textJson } from '@fairlead/service-kit/json/deferred-json';
import { afterAll, describe, expect, test } from 'vitest';
import { parseBody } from '../body.ts';
import { MAX_JSON_VALUES } from '../json-bounds.ts';
import { createBodyThread } from './body-thread.ts';

const charged: (readonly [string, number])[] = [];
const thread = createBodyThread((accountId, cpuMs) => void charged.push([accountId, cpuMs]));
afterAll(() => thread.close());

const BOUNDS = { maxBodyValues: MAX_JSON_VALUES };
const parse = (
  text: string | Buffer,
  defersLarge = true,
  defersTextsOf: readonly string[] = [],
): Promise<JsonObject> => thread.parse('acc_1', Buffer.from(text), { ...BOUNDS, defersLarge, defersTextsOf });
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
  expect(JSON.stringify(await parse(text, false))).toBe(text);
  expect(JSON.stringify(await parse(text, true, ['text', 'fields']))).toBe(text);
});

test('what stands in an item of a list is deferred by itself', async () => {
  const { filters } = await parse(JSON.stringify({ filters: [{ field: 'a', value: numbers }] }));
  const [filter] = Array.isArray(filters) ? filters : [];
  expect([jsonOf(filters), jsonOf(filter)]).toEqual([undefined, undefined]);
  expect(jsonOf(Reflect.get(Object(filter), 'value'))).toBeDefined();
});

test('large texts are deferred in the objects for which the route says so', async () => {
  const large = 'é'.repeat(20_000);
  const body = JSON.stringify({ a: large, b: { text: large, small: 'é' }, c: { text: large } });
  const { a, b, c } = await parse(body, true, ['b']);
  const jsonIn = (holder: unknown, name: string): unknown => textJson(Object(holder) as object, name);
  expect(a).toBe(large);
  expect(jsonIn(b, 'text')).toHaveLength(40_002);
  expect([jsonIn(b, 'small'), jsonIn(c, 'text')]).toEqual([undefined, undefined]);
});

test('what is large is not parsed, and its account is charged for the thread', async () => {
  const { fields, list } = await parse(
    JSON.stringify({ fields: { body: numbers, url: '/' }, list: numbers }),
  );
  const body: unknown = Reflect.get(Object(fields), 'body');
  expect([jsonOf(list), jsonOf(body)].map((json) => json?.length)).toEqual(
    [numbers, numbers].map((value) => JSON.stringify(value).length),
  );
  expect(jsonOf(fields)).toBeUndefined();
  const built = await parse(JSON.stringify({ list: numbers }), false);
  expect(jsonOf(built['list'])).toBeUndefined();
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
