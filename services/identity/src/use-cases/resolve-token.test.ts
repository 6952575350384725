import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { TokenClaims } from '../domain/records.ts';
import { testAccount, testUser } from '../testing/records.ts';
import { resolveToken } from './resolve-token.ts';

test('a token is resolved by all of its claims', async () => {
  const member = { account: testAccount(), user: testUser() };
  const token: TokenClaims = {
    accountId: 'acc_1',
    userId: 'usr_1',
    clientId: 'client_1',
    tokenId: 'token',
    grantId: undefined,
  };
  const findTokenOwner = (_ctx: unknown, asked: TokenClaims) =>
    Promise.resolve(asked === token ? member : undefined);
  const deps = { credentials: { findTokenOwner } };
  expect(await resolveToken(deps, testContext(), token)).toBe(member);
  expect(await resolveToken(deps, testContext(), { ...token, grantId: 'grant' })).toBeUndefined();
});
