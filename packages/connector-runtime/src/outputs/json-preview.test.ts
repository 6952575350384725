import type { JsonObject } from '@fairlead/connector-model/json';
import { expect, it } from 'vitest';
import { beginningOf, previewOf } from './json-preview.ts';

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

it('keeps every member, and the beginning of lists and texts', () => {
  const item = (id: number) => ({ id, note: 'n'.repeat(20) });
  const value = {
    items: Array.from({ length: 10_000 }, (_item, id) => item(id)),
    text: 'a'.repeat(10_000),
    totalCount: 10_000,
    isLast: false,
    nested: { none: null, more: [item(1)] },
  };
  const preview = previewOf(value, 1_000);
  expect(sizeOf(preview)).toBeLessThan(2_000);
  const { items, ...others } = preview as { readonly items: readonly unknown[] };
  expect(items.length).toBeGreaterThan(5);
  expect(items).toEqual(value.items.slice(0, items.length));
  expect(others).toEqual({
    text: ' [cut: 10000 more characters]',
    totalCount: 10_000,
    isLast: false,
    nested: { none: null, more: [] },
  });
});

it('keeps a value that fits as it is', () => {
  const value = { a: [1, 'é', { b: null }], ['__proto__']: { c: true } };
  expect(previewOf(value, 1_000)).toEqual(value);
});

it('is bounded whatever the value consists of', () => {
  const names = Object.fromEntries(Array.from({ length: 50_000 }, (_name, at) => [`name-${at}`, at]));
  let deep: JsonObject = {};
  for (let level = 0; level < 200; level += 1) deep = { deep, list: Array<number>(500).fill(level) };
  for (const value of [names, { names }, deep, { texts: Array<string>(50_000).fill('') }])
    expect(sizeOf(previewOf(value, 1_000))).toBeLessThan(6_000);
});

it('cuts a text between characters', () => {
  expect(beginningOf('short', 5)).toBe('short');
  expect(beginningOf('a😀😀', 2)).toBe('a [cut: 3 more characters]');
});
