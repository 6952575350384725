import { TokenError } from '@fairlead/connector-runtime/token-client';
import { expect, test } from 'vitest';
import { oauth2Scheme } from '../testing/builders.ts';
import { isClientRefusal, isGrantRefusal, unattendedRefusal } from './oauth-client.ts';
import type { MethodClient } from './oauth-client.ts';

const tokenParameters = { username: '{{field.apiUser}}', password: '{{field.apiPassword}}' };
const scheme = oauth2Scheme({ grant: 'password', tokenParameters });
const provider = (...names: readonly string[]): MethodClient => ({
  authProviderId: 3,
  fields: Object.fromEntries(names.map((name) => [name, 'x'])),
  secrets: [],
  scopes: null,
  hasError: false,
  addressRevision: null,
});
const refused = new TokenError('refused', 'Wrong user or password.', { code: 'invalid_grant' });

test('a refused API user is the auth provider’s, if that holds the name and the password', () => {
  const error = unattendedRefusal(refused, scheme, provider('apiUser', 'apiPassword'));
  expect([isClientRefusal(error), isGrantRefusal(error)]).toEqual([true, false]);
  expect(error).toMatchObject({ message: 'Wrong user or password.' });
});

test('any other refusal stays what it is', () => {
  const held = provider('apiUser', 'apiPassword');
  expect(unattendedRefusal(refused, scheme, provider('apiUser'))).toBe(refused);
  expect(unattendedRefusal(refused, scheme, undefined)).toBe(refused);
  expect(unattendedRefusal(refused, { ...scheme, grant: 'jwtBearer' }, held)).toBe(refused);
  const away = new TokenError('unavailable', 'The vendor did not answer.');
  expect(unattendedRefusal(away, scheme, held)).toBe(away);
});
