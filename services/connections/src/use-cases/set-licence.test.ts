import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { ConnectionStore } from '../ports/connection-store.ts';
import { connection, NOW, OWNER } from '../testing/builders.ts';
import { setLicence } from './set-licence.ts';

test("the caller's connection gets the licence; an unknown one is NOT_FOUND", async () => {
  const licence = { status: 'none', expiresAt: null } as const;
  const store: ConnectionStore['setLicence'] = (_ctx, accountId, id, given, updatedAt) =>
    Promise.resolve(
      accountId === OWNER.accountId ? connection({ id, licence: given, updatedAt }) : undefined,
    );
  const deps = { connections: { setLicence: store }, clock: new ManualClock(NOW) };
  expect(await setLicence(deps, testContext(OWNER), 7, licence)).toMatchObject({ id: 7, licence });
  await expect(setLicence(deps, testContext(), 7, licence)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
