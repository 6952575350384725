import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { expect, test } from 'vitest';
import { cutObject, MAX_DEPTH, plainOutput } from './cut-json.ts';

function nested(levels: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 1; level < levels; level += 1) value = { a: value };
  return value;
}

const sizeOf = (value: Json): number => Buffer.byteLength(JSON.stringify(value));

test('an output is plain JSON afterwards: no dates, no undefined members', () => {
  const output = { at: new Date(0), none: undefined, n: 1 } as unknown as JsonObject;
  expect(plainOutput(output)).toEqual({ at: '1970-01-01T00:00:00.000Z', n: 1 });
});

test('an output that is too deep to be decoded, or not JSON, is refused', () => {
  expect(plainOutput(nested(MAX_DEPTH))).toBeDefined();
  expect(plainOutput(nested(MAX_DEPTH + 1))).toBeUndefined();
  expect(plainOutput(nested(50_000))).toBeUndefined();
  expect(plainOutput({ n: 1n } as unknown as JsonObject)).toBeUndefined();
});

test('a value that fits is returned itself', () => {
  const value = { a: 'text', b: [1, 2, { c: null }], d: true };
  expect(cutObject(value, 1_000)).toBe(value);
  expect(cutObject(value, JSON.stringify(value).length)).toBe(value);
});

test.each<[string, JsonObject]>([
  ['a long text', { first: 'kept', text: 'é'.repeat(10_000) }],
  ['a long array', { first: 'kept', list: Array.from({ length: 10_000 }, (_, index) => index) }],
  [
    'many members',
    {
      first: 'kept',
      ...Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`m${index}`, index])),
    },
  ],
  ['a list of empty objects', { first: 'kept', list: Array.from({ length: 2_000 }, () => ({})) }],
  ['a list of empty lists', { first: 'kept', list: Array.from({ length: 2_000 }, () => []) }],
  ['a long text deep inside', { first: 'kept', a: { b: [{ c: 'x'.repeat(10_000) }] } }],
])('%s is cut to about the allowed size; the beginning stays and the cut is stated', (_name, value) => {
  const cut = cutObject(value, 1_000);
  expect(sizeOf(cut)).toBeLessThan(2_200);
  expect(cut['first']).toBe('kept');
  expect(JSON.stringify(cut)).toContain('[cut');
});

test('nesting is cut where protobuf would not decode it', () => {
  const cut = cutObject(nested(200), 100_000);
  expect(JSON.stringify(cut)).toContain('[cut: nested too deep]');
  expect(plainOutput(cut)).toBeDefined();
});
