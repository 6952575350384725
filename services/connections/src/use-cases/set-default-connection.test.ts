import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { ConnectionStore } from '../ports/connection-store.ts';
import { connection, NOW, OWNER } from '../testing/builders.ts';
import { setDefaultConnection } from './set-default-connection.ts';

test("the caller's connection becomes the default now; an unknown one is NOT_FOUND", async () => {
  const setDefault: ConnectionStore['setDefault'] = (_ctx, accountId, id, updatedAt) =>
    Promise.resolve(accountId === OWNER.accountId && id === 7 ? connection({ id, updatedAt }) : undefined);
  const deps = { connections: { setDefault }, clock: new ManualClock(NOW) };
  expect(await setDefaultConnection(deps, testContext(OWNER), 7)).toEqual(connection({ updatedAt: NOW }));
  await expect(setDefaultConnection(deps, testContext(), 7)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
