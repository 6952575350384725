import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { ConnectionStore } from '../ports/connection-store.ts';
import { connection, OWNER } from '../testing/builders.ts';
import { getConnection } from './get-connection.ts';

test("the account's connection is returned; an unknown id and another account's connection are NOT_FOUND", async () => {
  const find: ConnectionStore['find'] = (_ctx, accountId, id) =>
    Promise.resolve(accountId === OWNER.accountId && id === 7 ? connection({ id }) : undefined);
  const deps = { connections: { find } };
  expect(await getConnection(deps, testContext(OWNER), 7)).toEqual(connection({ id: 7 }));
  await expect(getConnection(deps, testContext(OWNER), 8)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const other = testContext({ accountId: 'acc_2', userId: 'usr_2' });
  await expect(getConnection(deps, other, 7)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
