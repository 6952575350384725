import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { expect, test } from 'vitest';
import { createMasker } from './masking.ts';
import { maskSecretFields } from './secret-fields.ts';

test('flagged fields are masked at any depth, and their texts are returned', () => {
  const schema = {
    $defs: { login: { type: 'object', properties: { password: { type: 'string', format: 'password' } } } },
    properties: {
      name: { type: 'string' },
      token: { type: 'string', writeOnly: true },
      login: { $ref: '#/$defs/login' },
      logins: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/login' }, { type: 'null' }] } },
      keys: { type: 'object', additionalProperties: { writeOnly: true } },
    },
  };
  const value = {
    name: 'Ada',
    token: 'token-1',
    login: { user: 'ada', password: 'pass-1' },
    logins: [{ password: 'pass-2' }, null],
    keys: { a: 'key-1', b: { c: 'key-2' } },
  };
  expect(maskSecretFields(schema, value)).toEqual({
    masked: {
      name: 'Ada',
      token: '***',
      login: { user: 'ada', password: '***' },
      logins: [{ password: '***' }, null],
      keys: { a: '***', b: '***' },
    },
    secrets: ['token-1', 'pass-1', 'pass-2', 'key-1', 'key-2'],
  });
});

test('a value that is too short to be searched for is still masked in its field', () => {
  const schema = { properties: { pin: { writeOnly: true } } };
  expect(maskSecretFields(schema, { pin: '1' })).toEqual({ masked: { pin: '***' }, secrets: [] });
});

test('a pattern counts as matching without being run', () => {
  const schema = { patternProperties: { '^(a+)+$': { writeOnly: true } } };
  expect(maskSecretFields(schema, { [`${'a'.repeat(50)}!`]: 'x' }).masked).toEqual({
    [`${'a'.repeat(50)}!`]: '***',
  });
});

test('items of a tuple are masked by position, in both dialects', () => {
  const secret = { writeOnly: true };
  const value = { list: ['a', 'b', 'c'] };
  expect(
    maskSecretFields({ properties: { list: { prefixItems: [{}, secret], items: {} } } }, value).masked,
  ).toEqual({
    list: ['a', '***', 'c'],
  });
  expect(
    maskSecretFields({ properties: { list: { items: [{}], additionalItems: secret } } }, value).masked,
  ).toEqual({
    list: ['a', '***', '***'],
  });
});

test('what the schema says nothing about is neither read nor copied', () => {
  const schema = { properties: { body: { description: 'Any JSON.', allOf: [{ type: 'object' }] } } };
  const body = { list: [{ password: 'x' }] };
  expect(maskSecretFields(schema, { body }).masked['body']).toBe(body);
});

test('a member named __proto__ is masked as any other', () => {
  const value = JSON.parse('{"__proto__":{"pin":"pin-1"}}') as JsonObject;
  const { masked } = maskSecretFields(
    { additionalProperties: { properties: { pin: { writeOnly: true } } } },
    value,
  );
  expect(JSON.stringify(masked)).toBe('{"__proto__":{"pin":"***"}}');
});

test('a schema that flags nothing costs nothing for a value, however large the two are', () => {
  const schema = listSchema({ allOf: Array.from({ length: 20_000 }, () => ({})) });
  const value = {
    get a(): Json {
      throw new Error('the value is read');
    },
  };
  expect(maskSecretFields(schema, value)).toEqual({ masked: value, secrets: [] });
});

test('where a schema above the limits may flag anything, every member is masked', () => {
  const schema = listSchema({ allOf: [...Array.from({ length: 20_000 }, () => ({})), { writeOnly: true }] });
  expect(maskSecretFields(schema, { a: ['text-1', { b: 'text-2' }], c: null, d: 12 })).toEqual({
    masked: { a: '***', c: null, d: '***' },
    secrets: ['text-1', 'text-2'],
  });
});

test('many items to which many subschemas apply are masked exactly', () => {
  const branches = Array.from({ length: 600 }, (_, i) => ({
    properties: { [`p${i}`]: { writeOnly: true } },
  }));
  const value = {
    a: Array.from({ length: 99_000 }, (_, i) => (i < 98_999 ? {} : { p599: 'pin-1', q: 'x' })),
  };
  const { masked, secrets } = maskSecretFields(listSchema({ allOf: branches }), value);
  expect((masked['a'] as Json[]).slice(-2)).toEqual([{}, { p599: '***', q: 'x' }]);
  expect(secrets).toEqual(['pin-1']);
});

test('what cannot be decided within the work for one value counts as secret', () => {
  // The place of a part depends on the last 300 names of its path, so that no two parts share one.
  const refer = (i: number) => ({ $ref: `#/$defs/q${i}` });
  const $defs: Record<string, JsonObject> = { q300: { writeOnly: true } };
  for (let i = 1; i < 300; i += 1) $defs[`q${i}`] = { additionalProperties: refer(i + 1) };
  $defs['q0'] = { properties: { a: { allOf: [refer(0), refer(1)] } }, additionalProperties: refer(0) };
  const tree = (levels: number): Json =>
    levels === 0 ? 'text' : { a: tree(levels - 1), b: tree(levels - 1) };
  const { masked, secrets } = maskSecretFields(
    { $defs, ...refer(0) },
    { first: tree(2), second: tree(14), third: 'text' },
  );
  expect(masked['first']).toEqual(tree(2));
  expect(JSON.stringify(masked['second'])).toContain('***');
  expect(masked['third']).toBe('***');
  expect(new Set(secrets)).toEqual(new Set(['text']));
});

test('more secrets than are searched for are not collected: every text and number is masked then', () => {
  const pins = Array.from({ length: 100_000 }, (_, i) => 10_000 + i);
  const { masked, secrets } = maskSecretFields(
    { properties: { pins: { writeOnly: true } } },
    { pins, b: 109_999 },
  );
  expect(secrets.length).toBeLessThan(20_000);
  const masker = createMasker(secrets);
  expect(masked).toEqual({ pins: '***', b: 109_999 });
  expect(masker.json([109_999, '109999', true])).toEqual(['***', '***', true]);
});

function listSchema(items: JsonObject): JsonObject {
  return { type: 'object', properties: { a: { type: 'array', items } } };
}
