import { ManualClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { describe, expect, test } from 'vitest';
import type { User } from '../domain/records.ts';
import type { UserStore, UserWrite } from '../ports/user-store.ts';
import { contextOf } from '../testing/context-of.ts';
import { testPasswords } from '../testing/passwords.ts';
import { testUser } from '../testing/records.ts';
import { unannounced } from '../testing/unannounced.ts';
import { updateUser } from './update-user.ts';
import type { UserChange } from './update-user.ts';

const NOW = new Date('2026-03-01T00:00:00Z');
const CALLER = { accountId: 'acc_1', userId: 'usr_admin' };
const admin = contextOf(CALLER, 'admin');
const owner = contextOf(CALLER, 'owner');

/** A store with one user, and perhaps another active owner. */
function setUp(
  o: { readonly user?: User; readonly hasOtherOwner?: boolean; readonly isTaken?: boolean } = {},
) {
  const writes: UserWrite[] = [];
  const users: Pick<UserStore, 'change'> = {
    change(_ctx, accountId, userId, decide, now) {
      const { user = testUser() } = o;
      if (accountId !== user.accountId || userId !== user.id) return Promise.resolve(undefined);
      const write = decide(user, o.hasOtherOwner ?? true);
      if (o.isTaken === true) return Promise.resolve('taken');
      writes.push(write);
      const { passwordHash: _secret, ...change } = write;
      return Promise.resolve({ ...user, ...change, updatedAt: now });
    },
  };
  const ended: string[] = [];
  const end = (name: string) => () => Promise.resolve(void ended.push(name));
  const deps = {
    users,
    passwords: testPasswords,
    changeIdentity: unannounced,
    clock: new ManualClock(NOW),
    signInEnds: { note: end('sign-ins') },
    grants: { removeOf: end('grants') },
    artifacts: { removeOf: end('sessions') },
  };
  const update = async (ctx: RequestContext, change: UserChange, userId = 'usr_1') =>
    updateUser(deps, ctx, userId, change);
  return { writes, ended, update };
}

test('only what is given is written', async () => {
  const { writes, update } = setUp();
  expect(await update(admin, { name: 'Mara M.' })).toEqual({
    ...testUser(),
    name: 'Mara M.',
    updatedAt: NOW,
  });
  expect(writes).toEqual([{ name: 'Mara M.' }]);
});

test('a new password is written as its hash only', async () => {
  const { writes, update } = setUp();
  const password = new Secret('correct horse battery staple');
  await update(admin, { password });
  expect(writes).toHaveLength(1);
  expect(Object.keys(writes[0] ?? {})).toEqual(['passwordHash']);
  expect(await testPasswords.verify(password, writes[0]?.passwordHash ?? '')).toBe(true);
});

test('a new password ends the sign-ins of the user; nothing else does, nor a change that is refused', async () => {
  const { ended, update } = setUp();
  await update(admin, { name: 'Mara M.', isActive: false });
  expect(ended).toEqual([]);
  const password = new Secret('correct horse battery staple');
  await expect(update(admin, { password }, 'usr_2')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(ended).toEqual([]);
  await update(admin, { password });
  expect(ended).toEqual(['sign-ins', 'grants', 'sessions']);
});

test('an unknown user is NOT_FOUND, an e-mail address of another user of the account CONFLICT', async () => {
  const { update } = setUp({ isTaken: true });
  await expect(update(admin, { name: 'X' }, 'usr_2')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(update(admin, { email: 'taken@test.example' })).rejects.toMatchObject({ code: 'CONFLICT' });
});

describe('an owner', () => {
  const user = testUser({ role: 'owner' });

  test.each<UserChange>([{ name: 'X' }, { role: 'member' }, { password: new Secret('long enough') }])(
    'is changed by owners only',
    async (change) => {
      const { writes, update } = setUp({ user });
      await expect(update(admin, change)).rejects.toMatchObject({ code: 'FORBIDDEN' });
      expect(writes).toEqual([]);
      await update(owner, change);
      expect(writes).toHaveLength(1);
    },
  );

  test('is made by owners only', async () => {
    const { writes, update } = setUp();
    await expect(update(admin, { role: 'owner' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(writes).toEqual([]);
    expect((await update(owner, { role: 'owner' })).role).toBe('owner');
  });

  test.each<UserChange>([{ role: 'admin' }, { isActive: false }])(
    'who is the last active one can be neither demoted nor deactivated',
    async (change) => {
      const last = setUp({ user, hasOtherOwner: false });
      await expect(last.update(owner, change)).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(last.writes).toEqual([]);
      expect((await last.update(owner, { name: 'Still the owner' })).role).toBe('owner');
      const another = setUp({ user, hasOtherOwner: true });
      expect(await another.update(owner, change)).toMatchObject(change);
    },
  );

  test('who is not active may be demoted though no other is active', async () => {
    const { update } = setUp({ user: { ...user, isActive: false }, hasOtherOwner: false });
    expect((await update(owner, { role: 'member' })).role).toBe('member');
  });
});
