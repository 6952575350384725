import { ManualClock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { describe, expect, test } from 'vitest';
import { hashClientSecret } from '../domain/client-secret.ts';
import { MAX_CLIENTS } from '../domain/oauth-client.ts';
import type { NewOAuthClient, OAuthClient } from '../domain/oauth-client.ts';
import type { User } from '../domain/records.ts';
import type { AccountClientStore } from '../ports/client-store.ts';
import { contextOf } from '../testing/context-of.ts';
import { testUser } from '../testing/records.ts';
import { createOAuthClient } from './create-oauth-client.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const CALLER = { accountId: 'acc_1', userId: 'usr_admin' };
const admin = contextOf(CALLER, 'admin');
const owner = contextOf(CALLER, 'owner');

/** A store of an account with these users and this number of clients. */
function setUp(o: { readonly people?: readonly User[]; readonly count?: number } = {}) {
  const { people = [testUser({ id: 'usr_admin', role: 'admin' }), testUser()], count = 0 } = o;
  const inserted: { client: OAuthClient; secretHash: string }[] = [];
  const clients: Pick<AccountClientStore, 'insert'> = {
    async insert(_ctx, client, secretHash, check) {
      check(
        people.find(({ id, accountId }) => id === client.userId && accountId === client.accountId),
        count,
      );
      inserted.push({ client, secretHash });
      return Promise.resolve();
    },
  };
  const create = (ctx: RequestContext, client: Partial<NewOAuthClient> = {}) =>
    createOAuthClient({ clients, clock: new ManualClock(NOW) }, ctx, {
      name: 'Job',
      redirectUris: [],
      grantTypes: ['client_credentials'],
      scopes: ['tools.read'],
      ...client,
    });
  return { inserted, create };
}

test('the secret is given once and stored as its hash', async () => {
  const { inserted, create } = setUp();
  const { client, clientSecret } = await create(admin);
  expect(clientSecret.reveal()).toMatch(/^fairlead_secret_[0-9A-Za-z]{43}$/);
  expect(inserted).toEqual([{ client, secretHash: hashClientSecret(clientSecret.reveal()) }]);
  expect(JSON.stringify(inserted)).not.toContain(clientSecret.reveal());
});

test('a client acts as the caller, or as the user who is named', async () => {
  const { create } = setUp();
  expect((await create(admin)).client.userId).toBe('usr_admin');
  expect((await create(admin, { userId: 'usr_1' })).client.userId).toBe('usr_1');
});

test('a user whom the account does not have is NOT_FOUND', async () => {
  const { inserted, create } = setUp({ people: [testUser({ accountId: 'acc_2' })] });
  await expect(create(admin, { userId: 'usr_1' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(inserted).toEqual([]);
});

test('a client that acts as an owner is created by owners only', async () => {
  const { inserted, create } = setUp({ people: [testUser({ role: 'owner' })] });
  await expect(create(admin, { userId: 'usr_1' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(inserted).toEqual([]);
  await create(owner, { userId: 'usr_1' });
  expect(inserted).toHaveLength(1);
});

test('an account that has the maximum number of clients gets no more', async () => {
  await expect(setUp({ count: MAX_CLIENTS }).create(admin)).rejects.toMatchObject({ code: 'CONFLICT' });
  await expect(setUp({ count: MAX_CLIENTS - 1 }).create(admin)).resolves.toBeDefined();
});

describe('a client that could get no token, or whose codes could reach others, is VALIDATION_ERROR', () => {
  const code: Partial<NewOAuthClient> = { grantTypes: ['authorization_code'] };

  test.each<[string, string, Partial<NewOAuthClient>]>([
    ['no grant type', 'grantTypes', { grantTypes: [] }],
    ['no scope', 'scopes', { scopes: [] }],
    ['refresh tokens without a code', 'grantTypes', { grantTypes: ['refresh_token'] }],
    ['a code and no address', 'redirectUris', code],
    ['an address and no code', 'redirectUris', { redirectUris: ['https://a.example/'] }],
    ...[
      'http://a.example/',
      'https://a.example/#x',
      'https://a.example/*',
      'https://user:secret@a.example/',
      'https://a.example/ x',
      'javascript:alert(1)',
      'not an address',
    ].map((uri): [string, string, Partial<NewOAuthClient>] => [
      uri,
      'redirectUris[1]',
      { ...code, redirectUris: ['https://a.example/', uri] },
    ]),
  ])('%s', async (_name, field, client) => {
    const { inserted, create } = setUp();
    await expect(create(owner, client)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field }],
    });
    expect(inserted).toEqual([]);
  });

  test.each(['http://localhost:8080/callback', 'http://127.0.0.1/', 'http://[::1]:9/'])(
    'but %s, on the developer’s own machine, is fine',
    async (uri) => {
      await expect(setUp().create(admin, { ...code, redirectUris: [uri] })).resolves.toBeDefined();
    },
  );
});
