import { Role } from '@fairlead/contracts/identity/v1/user_pb';
import { Secret } from '@fairlead/service-kit/secret';
import { platformContext } from '@fairlead/service-kit/testing/account-data';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { contextOf } from './testing/context-of.ts';
import { useCaseDeps } from './testing/use-case-deps.ts';
import { newAccount, newUser, startWorld } from './testing/world.ts';
import type { TestAccount, World } from './testing/world.ts';
import { verifyPassword } from './use-cases/verify-password.ts';

const CONFLICT = { code: 'CONFLICT' };
const FORBIDDEN = { code: 'FORBIDDEN' };
const NOT_FOUND = { code: 'NOT_FOUND' };
const PASSWORD = 'correct horse battery';

let world: World;
let one: TestAccount;
let two: TestAccount;
beforeAll(async () => {
  world = await startWorld({ mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') });
});
afterAll(() => world.close());
beforeEach(async () => {
  [one, two] = [await newAccount(world), await newAccount(world, 'Two')];
});

/** The accounts that the password opens, by user id. */
async function openedBy(email: string, password: string): Promise<readonly string[]> {
  const members = await verifyPassword(useCaseDeps(world.store), email, new Secret(password));
  return members.map(({ user }) => user.id);
}

const newAdmin = async () => {
  const { id: userId } = await newUser(world, one.asOwner, { role: Role.ADMIN });
  return contextOf({ accountId: one.account.id, userId }, 'admin');
};

describe('users', () => {
  test('are listed newest first, by pages, with their number over all pages', async () => {
    world.clock.advance(1);
    const a = await newUser(world, one.asOwner);
    world.clock.advance(1);
    const b = await newUser(world, one.asOwner, { isActive: false });
    const first = await world.users.listUsers(one.asOwner, { page: { offset: 0, top: 2 } });
    expect(first).toMatchObject({ items: [b, a], totalCount: 3 });
    const rest = await world.users.listUsers(one.asOwner, { page: { offset: 2, top: 2 } });
    expect(rest.items).toEqual([one.owner]);
  });

  test('of another account are neither listed nor changed, nor is one that does not exist', async () => {
    const foreign = await newUser(world, two.asOwner);
    expect((await world.users.listUsers(one.asOwner, {})).items).toEqual([one.owner]);
    for (const id of [foreign.id, two.owner.id, 'usr_unknown', '']) {
      await expect(world.users.updateUser(one.asOwner, { id, name: 'Mine' })).rejects.toMatchObject(
        NOT_FOUND,
      );
    }
    expect((await world.users.listUsers(two.asOwner, {})).items).toContainEqual(foreign);
  });

  test('one without a name is called what stands before the @', async () => {
    expect(await newUser(world, one.asOwner, { email: 'mara.m@one.example' })).toMatchObject({
      email: 'mara.m@one.example',
      name: 'mara.m',
      role: Role.MEMBER,
      isActive: true,
    });
  });

  test('an e-mail address of the account is taken, at creation and at a change, and nothing is written', async () => {
    const [first, second] = [await newUser(world, one.asOwner), await newUser(world, one.asOwner)];
    const { email } = first;
    await expect(newUser(world, one.asOwner, { email })).rejects.toMatchObject(CONFLICT);
    await expect(
      world.users.updateUser(one.asOwner, { id: second.id, email, name: 'B' }),
    ).rejects.toMatchObject(CONFLICT);
    expect((await world.users.listUsers(one.asOwner, {})).items).toContainEqual(second);
    // A user's own address does not count as taken.
    expect((await world.users.updateUser(one.asOwner, { id: first.id, email })).user).toMatchObject({
      email,
    });
  });

  test('an e-mail address known in another account is as good as any other, and each account has its own person', async () => {
    const email = 'mara@test.example';
    const known = await newUser(world, one.asOwner, { email, name: 'Mara', password: PASSWORD });
    const other = await newUser(world, two.asOwner, { email });
    expect(other.id).not.toBe(known.id);
    const change = { id: other.id, name: 'Other', password: 'another password', isActive: false };
    await world.users.updateUser(two.asOwner, change);
    expect((await world.users.listUsers(one.asOwner, {})).items).toContainEqual(known);
    expect(await openedBy(email, PASSWORD)).toEqual([known.id]);
    expect(await openedBy(email, 'another password')).toEqual([other.id]);
  });

  test('a change keeps what is left out', async () => {
    const user = await newUser(world, one.asOwner, { role: Role.DEVELOPER, password: PASSWORD });
    world.clock.advance(5);
    const { user: changed } = await world.users.updateUser(one.asOwner, { id: user.id, name: 'Anna' });
    expect(changed).toMatchObject({ ...user, name: 'Anna', updatedAt: expect.anything() as unknown });
    expect(changed?.updatedAt).not.toEqual(user.updatedAt);
    expect(await openedBy(user.email, PASSWORD)).toEqual([user.id]);
  });

  test.each([
    ['a role that there is not', { role: 99 }, 'role'],
    ['no role', { role: Role.UNSPECIFIED }, 'role'],
    ['an address in capitals', { email: 'Mara@one.example' }, 'email'],
    ['no address', { email: '' }, 'email'],
  ])('are not created with %s', async (_name, user, field) => {
    await expect(newUser(world, one.asOwner, user)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field }],
    });
  });

  test('are managed by users: the platform itself has no account', async () => {
    const refused = { code: 'UNAUTHORIZED' };
    await expect(world.users.listUsers(platformContext, {})).rejects.toMatchObject(refused);
    await expect(newUser(world, platformContext)).rejects.toMatchObject(refused);
    await expect(world.users.updateUser(platformContext, { id: one.owner.id })).rejects.toMatchObject(
      refused,
    );
  });
});

describe('owners', () => {
  test('an administrator who is no owner can neither make, change nor unmake one', async () => {
    const admin = await newAdmin();
    const member = await newUser(world, admin);
    await expect(newUser(world, admin, { role: Role.OWNER })).rejects.toMatchObject(FORBIDDEN);
    const promoting = world.users.updateUser(admin, { id: member.id, role: Role.OWNER });
    await expect(promoting).rejects.toMatchObject(FORBIDDEN);
    for (const change of [
      { role: Role.MEMBER },
      { isActive: false },
      { password: PASSWORD },
      { name: 'x' },
    ]) {
      const changing = world.users.updateUser(admin, { id: one.owner.id, ...change });
      await expect(changing).rejects.toMatchObject(FORBIDDEN);
    }
    expect((await world.users.updateUser(admin, { id: member.id, role: Role.ADMIN })).user).toMatchObject({
      role: Role.ADMIN,
    });
  });

  test('the last active owner can be neither demoted nor deactivated', async () => {
    const update = (id: string, change: object) => world.users.updateUser(one.asOwner, { id, ...change });
    for (const change of [{ role: Role.ADMIN }, { isActive: false }])
      await expect(update(one.owner.id, change)).rejects.toMatchObject(CONFLICT);
    const second = await newUser(world, one.asOwner, { role: Role.OWNER });
    await update(second.id, { isActive: false });
    await expect(update(one.owner.id, { role: Role.ADMIN })).rejects.toMatchObject(CONFLICT);
    await update(second.id, { isActive: true });
    expect((await update(one.owner.id, { role: Role.ADMIN })).user).toMatchObject({ role: Role.ADMIN });
  });

  test('two owners who demote each other at once leave one', async () => {
    const second = await newUser(world, one.asOwner, { role: Role.OWNER });
    const results = await Promise.allSettled(
      [one.owner.id, second.id].map((id) => world.users.updateUser(one.asOwner, { id, role: Role.MEMBER })),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { items } = await world.users.listUsers(one.asOwner, {});
    expect(items.filter(({ role }) => role === Role.OWNER)).toHaveLength(1);
  });
});
