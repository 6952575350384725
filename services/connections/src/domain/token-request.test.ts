import { Secret } from '@fairlead/service-kit/secret';
import { expect, test } from 'vitest';
import {
  apiTokenMethod,
  connection,
  discoveredServer,
  oauthMethod,
  OWNER,
  tokens,
} from '../testing/builders.ts';
import type { MethodClient } from './oauth-client.ts';
import { tokenRequestOf } from './token-request.ts';

const used: MethodClient = {
  authProviderId: 3,
  fields: { clientId: 'id', clientSecret: 's' },
  secrets: ['s'],
  scopes: ['one'],
  hasError: false,
  addressRevision: null,
};
const opened = (authProviderId: number | null) => ({
  connection: connection({ authProviderId, fields: { tenant: 't' } }),
  credential: { secretFields: new Secret({ password: 'p' }), tokens: tokens() },
});

test('a request has the values of the connection and its client, and the client’s scopes', () => {
  const { scheme, call } = tokenRequestOf(opened(3), oauthMethod(), used);
  expect(scheme.scopes).toEqual(['one']);
  expect(call).toMatchObject({
    accountId: OWNER.accountId,
    client: { clientId: 'id', clientSecret: 's' },
    values: { field: { tenant: 't', password: 'p', clientId: 'id' } },
  });
});

test.each([
  [null, 'refused', 'the connection has no OAuth client'],
  [0, 'unavailable', 'the OAuth client is no longer configured'],
  [3, 'unavailable', 'the auth provider has no client id or no client secret'],
] as const)('without a client, for the provider %j, it is %s', (authProviderId, kind, message) => {
  const request = () => tokenRequestOf(opened(authProviderId), oauthMethod(), undefined);
  expect(request).toThrow(expect.objectContaining({ kind, message }));
});

test('an auth provider that moved to another server: its secret is not sent to the former one', () => {
  const at = (issuer: string) => {
    const client = { ...used, fields: { ...used.fields, issuer } };
    const moved = { ...opened(3), connection: connection({ authProviderId: 3, server: discoveredServer() }) };
    return () => tokenRequestOf(moved, oauthMethod(), client);
  };
  expect(at('https://other.example')).toThrow(expect.objectContaining({ kind: 'unavailable' }));
  expect(at('https://login.example/')().call.client).toEqual({ clientId: 'id', clientSecret: 's' });
});

test('a method that is no longer OAuth is unavailable', () => {
  const request = () => tokenRequestOf(opened(0), apiTokenMethod(), used);
  expect(request).toThrow(expect.objectContaining({ kind: 'unavailable' }));
});
