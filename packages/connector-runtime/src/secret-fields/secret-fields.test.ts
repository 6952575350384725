import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { expect, test } from 'vitest';
import { createMasker } from '../value-masking.ts';
import { FlaggedFields, maskSecretFields } from './secret-fields.ts';

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
  // The schemas of a part depend on the last 300 names of its path, so no two parts share a place.
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

test('fields that are shown in part have the same secrets, and the same parts of them are masked', () => {
  const schema = {
    properties: {
      login: { properties: { password: { format: 'password' }, user: { type: 'string' } } },
      keys: { items: { writeOnly: true } },
    },
    additionalProperties: { additionalProperties: { writeOnly: true } },
  };
  const value = {
    login: { user: 'ada', password: 'pass word', none: null },
    keys: ['first-key', 77_777, null, { deep: 'third-key' }],
    other: { a: 'fourth-key', b: [1, 'fifth-key'] },
    text: 'it repeats hunter22',
  };
  const { masked, secrets } = maskSecretFields(schema, value);
  const shown = new FlaggedFields(schema, value);
  expect(shown.secrets).toEqual(secrets);
  expect(shown.masked()).toEqual(masked);
  const masker = createMasker(['hunter22']);
  expect(shown.cut(10_000, masker)).toEqual({ ...masked, text: 'it repeats ***' });
  expect(JSON.stringify(shown.cut(60, masker))).toMatch(/\[cut/);
  expect(JSON.stringify(shown.cut(60, masker))).not.toContain('pass word');
  // With another masker, the cut differs.
  expect(shown.cut(10_000, createMasker([]))).toEqual(masked);
});

test('what is flagged in a part that is not parsed yet is masked, however little of it is kept', () => {
  const schema = { properties: { list: { items: { properties: { pin: { writeOnly: true } } } } } };
  const items = Array.from({ length: 500 }, (_item, at) => ({ pin: `pin-${at}`, at }));
  const list = new LazyJson(Buffer.from(JSON.stringify(items)));
  const shown = new FlaggedFields(schema, { list });
  expect(shown.secrets).toHaveLength(500);
  for (const maxBytes of [50, 1_000, 100_000]) {
    const cut = JSON.stringify(shown.cut(maxBytes, createMasker([])));
    expect(cut).toContain('"pin":"***"');
    expect(cut).not.toContain('pin-');
  }
  // Parts that are not kept are not parsed; if one place covers all items, each item is masked on its own.
  const keys = new FlaggedFields(
    { properties: { list: { items: { writeOnly: true } } } },
    { list: new LazyJson(Buffer.from('["key-1",["key-2"],null,{"a":["key-3","key-4",no JSON')) },
    [],
  );
  expect(keys.cut(50, createMasker([]))).toEqual({ list: ['***', '***', null, '***', '[cut: the rest]'] });
  const digits = new FlaggedFields(
    { properties: { list: { items: { writeOnly: true } } } },
    { list: new LazyJson(Buffer.from(`[${'1,'.repeat(2_000)}1]`)) },
    [],
  );
  expect(JSON.stringify(digits.cut(1_000, createMasker([]))).length).toBeLessThan(1_100);
  const fields = { pin: new LazyJson(Buffer.from(JSON.stringify('pin-'.repeat(1_000)))) };
  const text = new FlaggedFields({ properties: { pin: { writeOnly: true } } }, fields);
  expect(text.secrets).toEqual(['pin-'.repeat(1_000)]);
  expect(text.cut(50, createMasker([]))).toEqual({ pin: '***' });
});

test('fields of a schema that flags nothing, and of one that may flag anything', () => {
  const value = { a: 'secret-text', b: { c: 12_345 } };
  const masker = createMasker([]);
  const plain = new FlaggedFields({ properties: { a: { type: 'string' } } }, value);
  expect([plain.secrets, plain.cut(1_000, masker)]).toEqual([[], value]);
  const anyOf = Array.from({ length: 501 }, () => ({ writeOnly: true }));
  const unknown = new FlaggedFields({ properties: { x: { anyOf } } }, value);
  expect(unknown.secrets).toEqual(['secret-text', '12345']);
  expect(unknown.cut(1_000, masker)).toEqual({ a: '***', b: '***' });
});
