import { describe, expect, test } from 'vitest';
import { isExpectedIssuer, readCallback, requireSameMethod } from './sign-in.ts';
import { vendorText } from './vendor-text.ts';

describe('a callback', () => {
  test.each([
    ['code=abc', { kind: 'code', code: 'abc', issuer: null }],
    ['code=a%2Bb&iss=https%3A%2F%2Fv.example', { kind: 'code', code: 'a+b', issuer: 'https://v.example' }],
    ['error=access_denied', { kind: 'refused', reason: 'access_denied', issuer: null }],
    [
      'error=x&error_description=No+thanks&code=abc&iss=https%3A%2F%2Fv.example',
      { kind: 'refused', reason: 'No thanks', issuer: 'https://v.example' },
    ],
    ['', { kind: 'refused', reason: 'the vendor sent no authorization code', issuer: null }],
    ['code=', { kind: 'refused', reason: 'the vendor sent no authorization code', issuer: null }],
  ])('%o reads as %o', (query, callback) => {
    expect(readCallback(query)).toMatchObject(callback);
  });

  test.each([
    [null, true],
    ['https://v.example', true],
    ['https://v.example/tenant/v2.0', true],
    ['https://evil.example', false],
    ['http://v.example', false],
    ['https://v.example.evil.example', false],
    ['no url', false],
    ['', false],
  ])('from issuer %o is expected: %s', (issuer, expected) => {
    const authorizeUrl = 'https://v.example/oauth/auth?client_id=x';
    expect(isExpectedIssuer(issuer, { issuer: null, authorizeUrl })).toBe(expected);
  });

  test.each([
    ['https://v.example/a', true, true],
    ['https://v.example/b', true, false],
    ['https://v.example/a/', true, false],
    ['https://v.example', false, false],
    ['', false, false],
    [null, false, true],
    [null, true, false],
  ])(
    'from issuer %o, where one is recorded (required: %s), is expected: %s (Microsoft: one issuer a tenant)',
    (issuer, isRequired, expected) => {
      const asked = {
        issuer: { url: 'https://v.example/a', isRequired },
        authorizeUrl: 'https://v.example/a/auth',
      };
      expect(isExpectedIssuer(issuer, asked)).toBe(expected);
    },
  );
});

test.each([[{ applicationSlug: 'b', authenticationId: 0 }], [{ applicationSlug: 'a', authenticationId: 1 }]])(
  'a sign-in of a/0 does not fit %o',
  (wanted) => {
    const signIn = { applicationSlug: 'a', authenticationId: 0 };
    expect(() => requireSameMethod(signIn, wanted)).toThrow(
      'oauthState: belongs to another application or method',
    );
    expect(() => requireSameMethod(signIn, signIn)).not.toThrow();
  },
);

test('vendor texts are masked before they are cleaned and cut', () => {
  expect(vendorText('bad token s3cr3t\u0007 for s3cr3t/x', ['s3cr3t'])).toBe('bad token ***  for ***/x');
  expect(vendorText('key a%2Bb+c!', ['a+b+c!'])).toBe('key ***');
  expect(vendorText(`${'x'.repeat(998)}secret`, ['secret'])).toBe(`${'x'.repeat(998)}**…`);
});
