import type { JsonObject } from '@fairlead/connector-model/json';
import { expect, test } from 'vitest';
import { isLighterThan, workFactor } from './work.ts';

const text: JsonObject = { type: 'string' };
const union = (count: number): JsonObject => ({ anyOf: Array.from({ length: count }, () => text) });

test('the factor counts what applies to one value, not what the schema holds', () => {
  expect(workFactor({})).toBe(1);
  const properties = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`m${index}`, text]));
  expect(workFactor({ properties })).toBe(3);
  expect(workFactor({ items: { items: { items: text } } })).toBe(1);
  expect(workFactor({ prefixItems: [union(3), union(7)] })).toBe(8);
});

test('what applies together is added: unions, patterns, conditions and their members', () => {
  expect(workFactor({ items: union(500) })).toBe(501);
  expect(workFactor({ anyOf: [{ items: union(10) }, { items: union(20) }] })).toBe(32);
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  expect(workFactor({ if: text, then: text, else: text, not: text, dependentSchemas: { a: text } })).toBe(6);
  const patternProperties = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [`^x${index}`, text]),
  );
  expect(workFactor({ patternProperties })).toBeGreaterThan(50);
  expect(workFactor({ items: { enum: Array.from({ length: 800 }, (_, index) => index) } })).toBe(101);
  expect(workFactor({ uniqueItems: true, maxItems: 10, items: { items: {} } })).toBe(9);
});

test('a value is as heavy as its parts and texts', () => {
  const list = Array.from({ length: 99 }, () => 0);
  expect([isLighterThan(list, 100), isLighterThan(list, 99)]).toEqual([true, false]);
  expect([isLighterThan('x'.repeat(1_600), 101), isLighterThan('x'.repeat(1_600), 100)]).toEqual([
    true,
    false,
  ]);
  const object = { ['n'.repeat(160)]: 1, b: { c: null } };
  expect([isLighterThan(object, 15), isLighterThan(object, 13)]).toEqual([true, false]);
  expect(isLighterThan({ ['n'.repeat(257)]: 1 }, 1_000_000)).toBe(false);
});
