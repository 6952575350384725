import { expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { viewOf } from './schema-view.ts';

it('schemas whose alternatives contain each other are viewed in bounded work, and allow anything from there on', () => {
  const names = Array.from({ length: 40 }, (_value, index) => `s${index}`);
  const schemas = new Map<string, JsonObject>(
    names.map((name) => [
      name,
      { title: name, oneOf: names.filter((other) => other !== name).map((other) => ({ $ref: other })) },
    ]),
  );
  let resolved = 0;
  const view = viewOf({ $ref: 's0' }, (ref) => {
    resolved += 1;
    return schemas.get(ref);
  });
  expect(view?.schema['title']).toBe('s0');
  expect(view?.variants).toEqual([]);
  expect(resolved).toBeLessThanOrEqual(1_000);
});

it('alternatives that are few are all seen', () => {
  const schemas: Readonly<Record<string, JsonObject>> = {
    a: { oneOf: [{ $ref: 'b' }, { type: 'string' }] },
    b: { type: 'object', anyOf: [{ $ref: 'c' }, { type: 'null' }] },
    c: { properties: { x: { type: 'number' } } },
  };
  const view = viewOf({ $ref: 'a' }, (ref) => schemas[ref]);
  expect(view?.variants.map(({ schema }) => schema['type'])).toEqual(['object', 'string']);
  expect(view?.isNullable).toBe(true);
});
