import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { describe, expect, test } from 'vitest';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { field } from '../testing/builders.ts';
import { checkDirectFields, chooseOptionFields, splitSecrets, stillValid } from './fields.ts';

const method = {
  authenticationName: 'Basic',
  fields: [
    field('host', { isRequired: true }),
    field('port', { type: 'number', defaultValue: 5432 }),
    field('tls', { type: 'boolean' }),
    field('mode', { type: 'select', options: [{ value: 'a', label: 'A', translations: {} }] }),
    field('extra', { type: 'json' }),
    field('password', { isPassword: true }),
    field('account', { maskInLogs: true }),
  ],
};

const check = (given: LazyObject, held: readonly string[] = []) =>
  checkDirectFields(method, given, new Set(held));

function issues(given: LazyObject): readonly string[] {
  try {
    check(given);
  } catch (error) {
    if (error instanceof Error && 'details' in error) {
      return (error.details as { field: string }[]).map((issue) => issue.field);
    }
  }
  return [];
}

describe('direct fields', () => {
  test('are saved as given, with the defaults of absent ones', () => {
    const given = { host: 'h', tls: false, mode: 'a', extra: { a: [1] }, password: '' };
    expect(check(given)).toEqual({ ...given, port: 5432 });
  });

  test('have the pattern and the hosts that their fields declare', () => {
    const zendesk = {
      authenticationName: 'API token',
      fields: [
        field('subdomain', { pattern: '[a-z0-9-]{1,63}' }),
        field('site', { allowedHosts: ['.atlassian.net'] }),
      ],
    };
    const given = { subdomain: 'acme', site: 'https://acme.atlassian.net' };
    expect(checkDirectFields(zendesk, given, new Set())).toEqual(given);
    expect(() => checkDirectFields(zendesk, { subdomain: 'A', site: 'https://evil.com' }, new Set())).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        details: [
          { field: 'fields.subdomain', issue: 'must match [a-z0-9-]{1,63}' },
          { field: 'fields.site', issue: 'must have the host *.atlassian.net, over https' },
        ],
      }),
    );
  });

  test('large values of the wrong type, or of no field, are refused unread', () => {
    const unread = new LazyJson(Buffer.from('{no JSON'));
    expect(issues({ host: unread, tls: unread, other: unread })).toEqual([
      'fields.other',
      'fields.host',
      'fields.tls',
    ]);
    expect(check({ host: 'h', extra: new LazyJson(Buffer.from('{"a":[1]}')) })).toMatchObject({
      extra: { a: [1] },
    });
  });

  test('a choice that is not offered is INVALID_ENUM_VALUE, unless there are other errors too', () => {
    const codeOf = (given: LazyObject): unknown => {
      try {
        return check(given);
      } catch (error) {
        return error;
      }
    };
    expect(codeOf({ host: 'h', mode: 'b' })).toMatchObject({
      code: 'INVALID_ENUM_VALUE',
      message: 'fields.mode must be one of a.',
      details: [{ field: 'fields.mode', issue: 'must be one of a' }],
    });
    expect(codeOf({ mode: 'b' })).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  test('a value that is shown has at most 16 KiB of JSON; a secret has no bound of its own', () => {
    const most = 'x'.repeat(16 * 1024 - 2);
    expect(check({ host: most, password: `${most}x` })).toMatchObject({ host: most });
    const large = new LazyJson(Buffer.from(JSON.stringify([`${most}x`])));
    expect(() => check({ host: `${most}x`, extra: large })).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        details: [
          { field: 'fields.host', issue: 'must be at most 16 KiB of JSON' },
          { field: 'fields.extra', issue: 'must be at most 16 KiB of JSON' },
        ],
      }),
    );
  });

  test('null counts as absent', () => {
    expect(check({ host: 'h', port: null, tls: null })).toEqual({ host: 'h', port: 5432 });
    expect(issues({ host: null })).toEqual(['fields.host']);
  });

  test.each([
    [{ host: 5 }, ['fields.host']],
    [{ host: '' }, ['fields.host']],
    [{ host: 'h', port: '5' }, ['fields.port']],
    [{ host: 'h', tls: 'yes' }, ['fields.tls']],
    [{ host: 'h', mode: 'b' }, ['fields.mode']],
    [{ host: 'h', hots: 'x' }, ['fields.hots']],
    [{ host: 'h', toString: 'x' }, ['fields.toString']],
    [{ x: 1, y: 2 }, ['fields.x', 'fields.y', 'fields.host']],
  ])('%o is refused, naming every field', (given, named) => {
    expect(issues(given)).toEqual(named);
  });

  test('ApiKey and RefreshToken are ignored, unless the method has a field of that name', () => {
    expect(check({ host: 'h', ApiKey: 'x', RefreshToken: 1 })).toEqual({ host: 'h', port: 5432 });
    const withKey = { ...method, fields: [field('ApiKey', { isRequired: true })] };
    expect(checkDirectFields(withKey, { ApiKey: 'x' }, new Set())).toEqual({ ApiKey: 'x' });
    expect(() => checkDirectFields(withKey, {}, new Set())).toThrow('fields.ApiKey');
  });

  test('what the OAuth client in use holds is neither required nor saved', () => {
    expect(check({}, ['host'])).toEqual({ port: 5432 });
    expect(check({ host: 'h' }, ['host'])).toEqual({ port: 5432 });
  });

  test('passwords and masked fields are the secret ones', () => {
    expect(splitSecrets(method, { host: 'h', password: 'p', account: 'a' })).toEqual({
      plain: { host: 'h' },
      secret: { password: 'p', account: 'a' },
    });
  });
});

describe('fields of a sign-in', () => {
  const options = { workspace: { w1: 'One', w2: 'Two' }, empty: {} };

  test.each([
    [{}, { workspace: 'w1' }],
    [{ workspace: null }, { workspace: 'w1' }],
    [{ workspace: 'w2' }, { workspace: 'w2' }],
    [{ workspace: 'w2', ApiKey: 'x', other: 1 }, { workspace: 'w2' }],
  ])('%o saves %o', (given, saved) => {
    expect(chooseOptionFields(options, given)).toEqual(saved);
  });

  test.each([{ workspace: 'One' }, { workspace: 5 }, { workspace: 'toString' }])(
    '%o is not a key of the options',
    (given) => {
      expect(() => chooseOptionFields(options, given)).toThrow('fields.workspace: must be one of w1, w2');
    },
  );

  test('a choice that is too long to be shown is refused', () => {
    const key = 'k'.repeat(16 * 1024);
    expect(() => chooseOptionFields({ workspace: { [key]: 'One' } }, {})).toThrow(
      'fields.workspace: must be at most 16 KiB of JSON',
    );
  });

  test('former choices stay if they are still valid', () => {
    expect(stillValid(options, { workspace: 'w2', gone: 'x' })).toEqual({ workspace: 'w2' });
    expect(stillValid(options, { workspace: 'w3' })).toEqual({});
  });
});
