import type { AccessToken } from '@fairlead/access/access-token';
import { ApiError } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { expect, test } from 'vitest';
import { cacheCredentials, createIdentityCaches } from './credential-caches.ts';
import { testOwner } from './testing/owner.ts';

const owner = testOwner();

function token(o: Partial<AccessToken>): AccessToken {
  return {
    tokenId: 'jti_1',
    accountId: 'acc_1',
    userId: 'usr_1',
    clientId: 'client_1',
    scopes: [],
    expiresAt: new Date(900_000),
    grantId: undefined,
    audience: 'https://api.example',
    issuedAt: new Date(0),
    ...o,
  };
}

function setUp() {
  const clock = new ManualClock(new Date(0));
  const lookups: string[] = [];
  const state: { session: number | undefined; isAway: boolean } = { session: 1, isAway: false };
  const answer = <T>(name: string, found: T): Promise<T> => {
    lookups.push(name);
    return state.isAway ? Promise.reject(new ApiError('UNAVAILABLE', 'away')) : Promise.resolve(found);
  };
  const credentials = cacheCredentials(
    createIdentityCaches({ clock, subscribe: () => ({ session: () => state.session }) }),
    {
      findKey: (hash) =>
        answer(
          hash,
          hash === 'known'
            ? { owner, keyId: 'key_1', expiresAt: null, scopes: null, toolsetId: null }
            : undefined,
        ),
      findTokenOwner: ({ tokenId }) => answer(tokenId, owner),
      findUser: ({ userId, keyId = 'any key' }) => answer(`${userId} ${keyId}`, owner),
    },
  );
  return { credentials, clock, state, lookups };
}

test('the tokens of a grant are looked up together, those of client credentials one by one', async () => {
  const { credentials, lookups } = setUp();
  for (const tokenId of ['jti_1', 'jti_2']) {
    await credentials.findTokenOwner(token({ tokenId, grantId: 'grant_1' }));
    await credentials.findTokenOwner(token({ tokenId }));
    await credentials.findTokenOwner(token({ tokenId }));
  }
  expect(lookups).toEqual(['jti_1', 'jti_1', 'jti_2']);
});

test('a user is looked up once for each of their keys', async () => {
  const { credentials, lookups } = setUp();
  for (const keyId of ['key_1', 'key_2', undefined, 'key_1', undefined])
    expect(await credentials.findUser({ accountId: 'acc_1', userId: 'usr_1', keyId })).toEqual(owner);
  expect(lookups).toEqual(['usr_1 key_1', 'usr_1 key_2', 'usr_1 any key']);
});

test('known credentials hold for ten minutes while identity is away, unknown ones do not', async () => {
  const { credentials, clock, state } = setUp();
  await credentials.findKey('known');
  await credentials.findTokenOwner(token({}));
  await credentials.findKey('unknown');
  state.isAway = true;
  clock.advance(10 * 60_000 - 1);
  expect(await credentials.findKey('known')).toMatchObject({ keyId: 'key_1' });
  expect(await credentials.findTokenOwner(token({}))).toEqual(owner);
  await expect(credentials.findKey('unknown')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  clock.advance(1);
  await expect(credentials.findKey('known')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('known credentials hold for two seconds if a change may have been missed', async () => {
  const { credentials, clock, state } = setUp();
  await credentials.findKey('known');
  state.session = undefined;
  state.isAway = true;
  clock.advance(1_999);
  expect(await credentials.findKey('known')).toMatchObject({ keyId: 'key_1' });
  clock.advance(1);
  await expect(credentials.findKey('known')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
