import { ManualClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { expect, test } from 'vitest';
import type { User } from '../domain/records.ts';
import { contextOf } from '../testing/context-of.ts';
import { testPasswords } from '../testing/passwords.ts';
import { unannounced } from '../testing/unannounced.ts';
import { createUser } from './create-user.ts';
import type { NewUser } from './create-user.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const CALLER = { accountId: 'acc_1', userId: 'usr_admin' };
const admin = contextOf(CALLER, 'admin');
const owner = contextOf(CALLER, 'owner');
const sent: NewUser = { email: 'mara@test.example', role: 'member', isActive: true };

function setUp(o: { readonly isTaken?: boolean } = {}) {
  const inserted: { user: User; passwordHash: string | null }[] = [];
  const users = {
    insert(_ctx: unknown, user: User, passwordHash: string | null) {
      if (o.isTaken !== true) inserted.push({ user, passwordHash });
      return Promise.resolve(o.isTaken !== true);
    },
  };
  const clock = new ManualClock(NOW);
  const deps = { users, passwords: testPasswords, changeIdentity: unannounced, clock };
  const create = (ctx: RequestContext, user: NewUser) => createUser(deps, ctx, user);
  return { inserted, create };
}

test('a user belongs to the account of the caller and is named after the e-mail where no name is given', async () => {
  const { inserted, create } = setUp();
  const user = await create(admin, sent);
  expect(user).toMatchObject({ ...sent, accountId: 'acc_1', name: 'mara', createdAt: NOW, updatedAt: NOW });
  expect(inserted).toEqual([{ user, passwordHash: null }]);
  expect((await create(admin, { ...sent, name: 'Mara M.' })).name).toBe('Mara M.');
});

test('a password is stored as its hash only', async () => {
  const { inserted, create } = setUp();
  const password = new Secret('correct horse battery staple');
  expect(await create(admin, { ...sent, password })).not.toHaveProperty('password');
  expect(JSON.stringify(inserted)).not.toContain(password.reveal());
  expect(await testPasswords.verify(password, inserted[0]?.passwordHash ?? '')).toBe(true);
});

test('only an owner creates an owner, and nothing is written for anybody else', async () => {
  const { inserted, create } = setUp();
  await expect(create(admin, { ...sent, role: 'owner' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(inserted).toEqual([]);
  expect((await create(owner, { ...sent, role: 'owner' })).role).toBe('owner');
});

test('an e-mail address that the account has already is CONFLICT', async () => {
  const { create } = setUp({ isTaken: true });
  await expect(create(admin, sent)).rejects.toMatchObject({ code: 'CONFLICT' });
});

test('an address that is not in lower case is VALIDATION_ERROR: addresses are compared as they are', async () => {
  const { inserted, create } = setUp();
  await expect(create(admin, { ...sent, email: 'Mara@test.example' })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'email' }],
  });
  expect(inserted).toEqual([]);
});
