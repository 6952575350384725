import { Secret } from '@fairlead/service-kit/secret';
import { describe, expect, test } from 'vitest';
import { connection, tokens } from '../testing/builders.ts';
import type { CredentialGrant } from './connection.ts';
import { credentialAt, isAtItsAddress } from './provider-address.ts';

const client = (addressRevision: string | null) => ({
  authProviderId: 3,
  fields: {},
  secrets: [],
  scopes: null,
  hasError: false,
  addressRevision,
});
const opened = (grant: CredentialGrant, secretFields = {}) => ({
  connection: connection({ grant, authProviderId: 3, addressRevision: 'a' }),
  credential: { secretFields: new Secret(secretFields), tokens: tokens() },
});

test('a credential without a revision belongs to a provider that never had one', () => {
  const old = { addressRevision: null };
  expect([client(null), client('a'), undefined].map((now) => isAtItsAddress(old, now))).toEqual([
    true,
    false,
    true,
  ]);
});

describe('a credential', () => {
  test('is whole at its own address, and without a client', () => {
    const held = opened('authorizationCode');
    expect(credentialAt(held, client('a'))).toBe(held);
    expect(credentialAt(held, undefined)).toBe(held);
  });

  test('of a client alone has no tokens at another address', () => {
    const held = opened('clientCredentials');
    const there = credentialAt(held, client('b'));
    expect(there).toEqual({ ...held, credential: { ...held.credential, tokens: null } });
  });

  test.each([
    ['of a sign-in', opened('authorizationCode')],
    ['with secrets of its own', opened('clientCredentials', { apiPassword: 's' })],
  ])('%s is refused at another address', (_name, held) => {
    for (const now of [client('b'), client(null)])
      expect(() => credentialAt(held, now)).toThrow(expect.objectContaining({ code: 'invalid_grant' }));
  });
});
