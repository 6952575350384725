import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { ConnectionStore } from '../ports/connection-store.ts';
import { connection, OWNER } from '../testing/builders.ts';
import { resolveConnection } from './resolve-connection.ts';

const stored = connection();
const find: ConnectionStore['find'] = (_ctx, accountId, id) =>
  Promise.resolve(accountId === stored.accountId && id === stored.id ? stored : undefined);
const findDefaults: ConnectionStore['findDefaults'] = (_ctx, accountId, slugs) =>
  Promise.resolve(accountId === stored.accountId && slugs.includes(stored.applicationSlug) ? [stored] : []);
const deps = { connections: { find, findDefaults } };
const ctx = testContext(OWNER);

test('an id names the connection of any application; an unknown one is NOT_FOUND', async () => {
  expect(await resolveConnection(deps, ctx, { kind: 'id', id: 7 })).toBe(stored);
  for (const [caller, id] of [
    [ctx, 8],
    [testContext(), 7],
  ] as const) {
    await expect(resolveConnection(deps, caller, { kind: 'id', id })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  }
});

test('an application names its default connection; without one it is NO_DEFAULT_CONNECTION', async () => {
  expect(await resolveConnection(deps, ctx, { kind: 'default', applicationSlug: 'crm' })).toBe(stored);
  await expect(
    resolveConnection(deps, ctx, { kind: 'default', applicationSlug: 'erp' }),
  ).rejects.toMatchObject({
    code: 'NO_DEFAULT_CONNECTION',
    message: 'There is no default connection for erp. Pass connectionId, or set a default.',
  });
});
