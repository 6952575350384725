import type { JsonObject } from '@fairlead/connector-model/json';
import { expect, test } from 'vitest';
import { freeMembers, withoutFreeMembers } from './free-members.ts';

const PROPERTIES: JsonObject = {
  body: { description: 'Anything.', examples: [1] },
  url: { type: 'string' },
};

test.each<[string, JsonObject, readonly string[]]>([
  ['a member whose schema only describes it', { type: 'object', properties: PROPERTIES }, ['body']],
  ['one that is required', { properties: PROPERTIES, required: ['body', 'url'] }, ['body']],
  [
    'one beside others that are checked',
    { properties: PROPERTIES, additionalProperties: { type: 'string' } },
    ['body'],
  ],
  ['none where another keyword may look at it', { properties: PROPERTIES, anyOf: [{ required: ['a'] }] }, []],
  ['none where a pattern may match its name', { properties: PROPERTIES, patternProperties: { b: {} } }, []],
  ['none of a schema that refers to one', { properties: { body: { $ref: '#/$defs/a' } } }, []],
  ['none without properties', { type: 'object' }, []],
])('free is %s', (_name, schema, free) => {
  expect([...freeMembers(schema)]).toEqual(free);
});

test('a check sees null in place of a free member, and no member more', () => {
  const free = new Set(['body']);
  expect(withoutFreeMembers({ url: '/', body: [1] }, free)).toEqual({ url: '/', body: null });
  expect(withoutFreeMembers({ url: '/' }, free)).toEqual({ url: '/' });
});
