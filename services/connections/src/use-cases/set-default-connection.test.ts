import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { Connection } from '../domain/connection.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import { connection, NOW, OWNER } from '../testing/builders.ts';
import { setDefaultConnection } from './set-default-connection.ts';

function setUp(stored: Connection) {
  const isStored = (accountId: string, id: number) => accountId === OWNER.accountId && id === stored.id;
  const connections: Pick<ConnectionStore, 'find' | 'setDefault'> = {
    find: (_ctx, accountId, id) => Promise.resolve(isStored(accountId, id) ? stored : undefined),
    setDefault: (_ctx, accountId, id, updatedAt) =>
      Promise.resolve(isStored(accountId, id) ? { ...stored, updatedAt } : undefined),
  };
  return { connections, clock: new ManualClock(NOW) };
}

test("the caller's connection becomes the default now; an unknown one is NOT_FOUND", async () => {
  const deps = setUp(connection({ id: 7 }));
  expect(await setDefaultConnection(deps, testContext(OWNER), 7)).toEqual(
    connection({ id: 7, updatedAt: NOW }),
  );
  await expect(setDefaultConnection(deps, testContext(), 7)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('the connection of an on-prem agent is NOT_FOUND', async () => {
  const deps = setUp(connection({ id: 7, kind: 'OPA' }));
  await expect(setDefaultConnection(deps, testContext(OWNER), 7)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});
