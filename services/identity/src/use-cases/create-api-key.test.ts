import { ManualClock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { expect, test } from 'vitest';
import { hashApiKey, isWellFormedApiKey } from '@fairlead/access/api-key';
import type { ApiKeyRecord, User } from '../domain/records.ts';
import type { ApiKeyStore } from '../ports/api-key-store.ts';
import { contextOf } from '../testing/context-of.ts';
import { unannounced } from '../testing/unannounced.ts';
import { testUser } from '../testing/records.ts';
import { createApiKey } from './create-api-key.ts';
import type { NewApiKey } from './create-api-key.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const CALLER = { accountId: 'acc_1', userId: 'usr_admin' };
const admin = contextOf(CALLER, 'admin');
const owner = contextOf(CALLER, 'owner');

function setUp(people: readonly User[] = [testUser({ id: 'usr_admin', role: 'admin' })]) {
  const inserted: { record: ApiKeyRecord; hash: string }[] = [];
  const apiKeys: Pick<ApiKeyStore, 'insert'> = {
    async insert(_ctx, record, hash, check) {
      check(people.find(({ id, accountId }) => id === record.userId && accountId === record.accountId));
      inserted.push({ record, hash });
      return Promise.resolve();
    },
  };
  const deps = { apiKeys, changeIdentity: unannounced, clock: new ManualClock(NOW) };
  const create = (ctx: RequestContext, key: Partial<NewApiKey> = {}) =>
    createApiKey(deps, ctx, { name: 'CI', expiresAt: null, scopes: null, toolsetId: null, ...key });
  return { inserted, create };
}

test('the key is given once and stored as its hash; its record shows how it begins', async () => {
  const { inserted, create } = setUp();
  const { record, apiKey } = await create(admin);
  expect(isWellFormedApiKey(apiKey.reveal())).toBe(true);
  expect(inserted).toEqual([{ record, hash: hashApiKey(apiKey) }]);
  expect(JSON.stringify(inserted)).not.toContain(apiKey.reveal());
  expect(record.maskedKey).toBe(`${apiKey.reveal().slice(0, 13)}…`);
});

test('a key has the scopes and the toolset that it was created with', async () => {
  const { create } = setUp();
  expect((await create(admin)).record).toMatchObject({ scopes: null, toolsetId: null });
  const restrictions = { scopes: ['tools.execute'], toolsetId: 'toolset-1' } as const;
  expect((await create(admin, restrictions)).record).toMatchObject(restrictions);
});

test('a key acts as the caller, or as the user who is named', async () => {
  const { create } = setUp([testUser({ id: 'usr_admin', role: 'admin' }), testUser()]);
  expect((await create(admin)).record.userId).toBe('usr_admin');
  expect((await create(admin, { userId: 'usr_1' })).record.userId).toBe('usr_1');
});

test('a user whom the account does not have is NOT_FOUND', async () => {
  const { inserted, create } = setUp([testUser({ accountId: 'acc_2' })]);
  await expect(create(admin, { userId: 'usr_1' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(inserted).toEqual([]);
});

test('a key of an owner is created by owners only', async () => {
  const { inserted, create } = setUp([testUser({ role: 'owner' })]);
  await expect(create(admin, { userId: 'usr_1' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(inserted).toEqual([]);
  await create(owner, { userId: 'usr_1' });
  expect(inserted).toHaveLength(1);
});

test('a key that has expired already is VALIDATION_ERROR', async () => {
  const { inserted, create } = setUp();
  await expect(create(admin, { expiresAt: NOW })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'expiresAt' }],
  });
  expect(inserted).toEqual([]);
  const soon = new Date(NOW.getTime() + 1);
  expect((await create(admin, { expiresAt: soon })).record.expiresAt).toEqual(soon);
});
