import { expect, test } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import { createMasker } from '@fairlead/connector-runtime/value-masking';
import { createCallMasker, maskEverything } from './masking.ts';

const SECRET = 'tök en/+"=x';

test('a secret is masked alone, in longer texts, in arrays, in nested objects and in member names', () => {
  const { object } = createMasker([SECRET]);
  expect(object({ a: SECRET, b: [`x${SECRET}y`, { c: SECRET }], [`k${SECRET}`]: 1, d: 'other' })).toEqual({
    a: '***',
    b: ['x***y', { c: '***' }],
    'k***': 1,
    d: 'other',
  });
});

test.each([
  ['percent-encoded', encodeURIComponent(SECRET)],
  ['form-encoded', new URLSearchParams({ v: 'tök en' }).toString().slice(2), 'tök en'],
  ['escaped in JSON', JSON.stringify({ v: SECRET }).slice(6, -2)],
  ['base64', Buffer.from(SECRET).toString('base64')],
  ['base64url', Buffer.from(SECRET).toString('base64url')],
])('a secret is masked %s', (_name, form, secret = SECRET) => {
  expect(createMasker([secret]).text(`<${form}>`)).toBe('<***>');
});

test('user and password of Basic authentication are masked, other Basic values are not', () => {
  const { text } = createMasker(['s3cret']);
  expect(text(`Authorization: Basic ${Buffer.from('user:s3cret').toString('base64')} end`)).toBe(
    'Authorization: Basic *** end',
  );
  expect(text('Basic understanding of things')).toBe('Basic understanding of things');
});

test('a secret that begins with another one is masked as a whole', () => {
  expect(createMasker(['abcd', 'abcd-efgh']).text('abcd-efgh abcd')).toBe('*** ***');
});

test('a very short secret is masked as a word of its own, not inside words', () => {
  const { text, object } = createMasker(['ab']);
  expect(text('ab cab "ab"')).toBe('*** cab "***"');
  expect(object({ a: 'ab' })).toEqual({ a: '***' });
});

test('a number that is a secret is masked, other numbers, booleans and null stay', () => {
  expect(createMasker(['123456', 'true']).object({ a: 123_456, b: 123_457, c: true, d: null })).toEqual({
    a: '***',
    b: 123_457,
    c: true,
    d: null,
  });
});

test('a long number that is a secret is masked however its value is written; a short one by its spelling only', () => {
  const { object } = createMasker(['12345678901234567890', '0012', '99.50']);
  const received = JSON.parse(
    '{"a":12345678901234567890,"b":1.2345678901234567890e19,"c":12,"d":99.5,"e":1234}',
  ) as JsonObject;
  expect(object(received)).toEqual({ a: '***', b: '***', c: 12, d: 99.5, e: 1234 });
});

test('no secret, or an empty one, masks nothing; special characters are literal', () => {
  expect(createMasker(['']).text('as it is')).toBe('as it is');
  expect(createMasker(['a.*c(d']).text('abbc a.*c(d')).toBe('abbc ***');
});

test('if the secrets are unknown, every text and number is masked', () => {
  expect(maskEverything.object({ a: 'x', b: 1, c: [true, null, { d: 'y' }] })).toEqual({
    a: '***',
    b: '***',
    c: [true, null, { d: '***' }],
  });
});

test('the masker of a credential is made once; with other secrets, it masks those too', () => {
  const credential = { version: 1, fields: {}, secrets: ['s3cret'], accessToken: 't0ken-of-access' };
  const masker = createCallMasker(credential, []);
  expect(createCallMasker(credential, [])).toBe(masker);
  expect(createCallMasker({ ...credential, secrets: ['other-s3cret'] }, [])).not.toBe(masker);
  expect(masker.text('s3cret t0ken-of-access flagged')).toBe('*** *** flagged');
  expect(createCallMasker(credential, ['flagged']).text('s3cret t0ken-of-access flagged')).toBe(
    '*** *** ***',
  );
});
