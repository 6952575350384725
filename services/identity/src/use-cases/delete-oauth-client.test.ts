import { expect, test } from 'vitest';
import type { User } from '../domain/records.ts';
import { contextOf } from '../testing/context-of.ts';
import { testUser } from '../testing/records.ts';
import { deleteOAuthClient } from './delete-oauth-client.ts';

/** A store with `client_1` of `acc_1`, which acts as a user with that role; it records the order of calls. */
function setUp(role: User['role'] = 'admin') {
  const happened: unknown[] = [];
  const deps = {
    clients: {
      remove(_ctx: unknown, accountId: string, clientId: string, check: (user: User) => void) {
        const isFound = accountId === 'acc_1' && clientId === 'client_1';
        if (isFound) check(testUser({ role }));
        if (isFound) happened.push('client');
        return Promise.resolve(isFound);
      },
    },
    grants: { removeOf: (owner: unknown) => Promise.resolve(void happened.push(owner)) },
    changeIdentity<R>(accountId: string, write: () => Promise<R>) {
      happened.push(accountId);
      return write();
    },
  };
  return { happened, deps };
}

test('first the client goes, then what it was granted, so that nothing is granted to it meanwhile', async () => {
  const { happened, deps } = setUp();
  await deleteOAuthClient(deps, contextOf({ accountId: 'acc_1', userId: 'usr_1' }), 'client_1');
  expect(happened).toEqual(['acc_1', 'client', { clientId: 'client_1' }]);
});

test('a client of another account is NOT_FOUND, and keeps what it was granted', async () => {
  const { happened, deps } = setUp();
  const stranger = contextOf({ accountId: 'acc_2', userId: 'usr_2' });
  await expect(deleteOAuthClient(deps, stranger, 'client_1')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(happened).toEqual(['acc_2']);
});

test('one that acts as an owner is removed by owners only, and else keeps what it was granted', async () => {
  const { happened, deps } = setUp('owner');
  const caller = { accountId: 'acc_1', userId: 'usr_1' };
  const refused = deleteOAuthClient(deps, contextOf(caller, 'admin'), 'client_1');
  await expect(refused).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(happened).toEqual(['acc_1']);
  await deleteOAuthClient(deps, contextOf(caller, 'owner'), 'client_1');
  expect(happened).toContain('client');
});
