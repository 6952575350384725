import { expect, test } from 'vitest';
import { oauth2Scheme } from '../testing/builders.ts';
import { clientForCredentials, requireSignInClient } from './client-choice.ts';

const scheme = oauth2Scheme({ grant: 'clientCredentials' });

test.each([
  ['default', true, {}, 'own'],
  ['default', true, { clientId: null }, 'own'],
  ['default', true, { clientId: 'x' }, 'fields'],
  ['default', true, { clientSecret: 'x' }, 'fields'],
  ['connector', true, { clientId: 'x' }, 'own'],
  ['default', false, {}, 'fields'],
  ['connector', false, {}, 'fields'],
] as const)(
  'choice %s with an own client %s and fields %o takes the client of: %s',
  (kind, hasOwn, given, source) => {
    expect(clientForCredentials(scheme, { kind }, hasOwn, given)).toBe(source);
  },
);

test('an auth provider is NOT_FOUND, with or without an own client', () => {
  for (const hasOwn of [true, false]) {
    expect(() => clientForCredentials(scheme, { kind: 'provider' }, hasOwn, {})).toThrow(
      expect.objectContaining({ code: 'NOT_FOUND' }),
    );
  }
  expect(() => requireSignInClient({ kind: 'provider' }, {}, 'App')).toThrow(
    expect.objectContaining({ code: 'NOT_FOUND' }),
  );
});

test('a sign-in without any client is INVALID_AUTH_PROVIDER', () => {
  for (const kind of ['default', 'connector'] as const) {
    expect(() => requireSignInClient({ kind }, undefined, 'App')).toThrow(
      expect.objectContaining({ code: 'INVALID_AUTH_PROVIDER' }),
    );
  }
});
