import { permissionsOf, PERMISSIONS, ROLES } from '@fairlead/access/permissions';
import type { Permission } from '@fairlead/access/permissions';
import { routeTable } from '@fairlead-services/gateway/routes/route-table';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { createAccount, createUser, expectStatus, removeAccount } from './support/accounts.ts';
import type { TestUser } from './support/accounts.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { call, expectError, get, patch } from './support/api.ts';
import { row } from './support/row.ts';

/** Each role's permissions in the specification's words; the code has another form. */
const EVERY_READ: readonly Permission[] = [
  'agents.read',
  'connections.read',
  'mcpServers.read',
  'tools.read',
  'triggers.read',
];
const OF_ROLE: Readonly<Record<string, readonly Permission[]>> = {
  owner: PERMISSIONS,
  admin: PERMISSIONS,
  developer: PERMISSIONS.filter((it) => it !== 'authProviders.manage'),
  member: [...EVERY_READ, 'authProviders.use', 'connections.write', 'tools.execute'],
};
const ADMINISTRATORS = ['owner', 'admin'];

const guarded = routeTable.filter(({ auth }) => auth === 'credential');
// These requests name unknown records and have no body, so a permitted call does nothing.
const addressOf = (path: string): string => path.replaceAll(/\{\w+\}/g, '999999999');

let account: TestAccount;
const users: { readonly role: string; readonly user: TestUser }[] = [];
beforeAll(async () => {
  account = await createAccount();
  for (const role of ROLES) users.push({ role, user: await createUser(account, { role }) });
});
afterAll(() => removeAccount(account));

describe.each([true, false])('with the RBAC switch %s', (isRbacEnabled) => {
  beforeAll(async () => {
    expectStatus(await patch('/admin/v1/account', { isRbacEnabled }, account), 200);
    const member = users.find(({ role }) => role === 'member')?.user;
    await vi.waitFor(
      async () => {
        const { permissions } = (await get('/v1/auth/whoami', member)).body;
        if (permissions.includes('tools.write') === isRbacEnabled)
          throw new Error('The switch does not hold yet.');
      },
      { timeout: 90_000 },
    );
  });

  row(
    [
      'errors.4',
      'completion.auth-and-people.7',
      'completion.auth-and-people.8',
      'completion.auth-and-people.9',
      'completion.auth-and-people.10',
      'completion.auth-and-people.11',
      'completion.administration.1',
    ],
    'every role may call what its permissions allow, and nothing else',
    async () => {
      const wrong: string[] = [];
      for (const { role, user } of users) {
        for (const { method, path, permission } of guarded) {
          const answer = await call(method.toUpperCase(), addressOf(path), user);
          const isRefused = answer.status === 403;
          if (isRefused) expectError(answer, 403, 'FORBIDDEN');
          const isAllowed =
            permission === undefined ||
            (permission === 'administration'
              ? ADMINISTRATORS.includes(role)
              : !isRbacEnabled || OF_ROLE[role]?.includes(permission) === true);
          if (isRefused === isAllowed || answer.status === 401) {
            wrong.push(`${role}: ${method} ${path} (${permission}) answers ${answer.status}`);
          }
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  row(
    [
      'authentication.2',
      'completion.auth-and-people.6',
      'completion.auth-and-people.7',
      'completion.auth-and-people.8',
      'completion.auth-and-people.9',
      'completion.auth-and-people.10',
    ],
    'whoami lists what a user’s role allows',
    async () => {
      for (const { role, user } of users) {
        const { body } = await get('/v1/auth/whoami', user);
        expect(body.roles).toEqual([role]);
        expect(body.permissions.toSorted()).toEqual(
          [...(isRbacEnabled ? (OF_ROLE[role] ?? []) : PERMISSIONS)].toSorted(),
        );
        expect(permissionsOf(body.roles[0], isRbacEnabled).toSorted()).toEqual(body.permissions.toSorted());
      }
    },
  );
});

row(['errors.4', 'completion.everywhere.65'], 'turning the switch holds within two seconds', async () => {
  const member = users.find(({ role }) => role === 'member')?.user;
  for (const isRbacEnabled of [true, false, true]) {
    await patch('/admin/v1/account', { isRbacEnabled }, account);
    await expect
      .poll(async () => (await get('/v1/auth/whoami', member)).body.permissions.includes('tools.write'))
      .toBe(!isRbacEnabled);
  }
});
