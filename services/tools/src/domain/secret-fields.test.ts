import { expect, test } from 'vitest';
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
