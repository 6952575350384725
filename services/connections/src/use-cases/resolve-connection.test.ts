import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { ConnectionStore } from '../ports/connection-store.ts';
import { connection, OWNER } from '../testing/builders.ts';
import { resolveConnection } from './resolve-connection.ts';

const stored = connection();
const find: ConnectionStore['find'] = (_ctx, accountId, id) =>
  Promise.resolve(
    accountId === stored.accountId ? [stored, theirs].find((each) => each.id === id) : undefined,
  );
const findDefaults: ConnectionStore['findDefaults'] = (_ctx, accountId, slugs) =>
  Promise.resolve(accountId === stored.accountId && slugs.includes(stored.applicationSlug) ? [stored] : []);
const theirs = connection({ id: 9, endUserId: 'customer-1' });
const findOfEndUser: ConnectionStore['findOfEndUser'] = (_ctx, accountId, endUserId, slugs) => {
  const isTheirs = accountId === theirs.accountId && endUserId === theirs.endUserId;
  return Promise.resolve(isTheirs && slugs.includes(theirs.applicationSlug) ? [theirs] : []);
};
const deps = { connections: { find, findDefaults, findOfEndUser } };
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
  expect(await resolveConnection(deps, ctx, { kind: 'application', applicationSlug: 'crm' })).toBe(stored);
  await expect(
    resolveConnection(deps, ctx, { kind: 'application', applicationSlug: 'erp' }),
  ).rejects.toMatchObject({
    code: 'NO_DEFAULT_CONNECTION',
    message: 'There is no default connection for erp. Pass connectionId, or set a default.',
  });
});

test('for an end user only connections of theirs count: another one is NOT_FOUND, the default of the account is not used', async () => {
  const byId = (id: number, endUserId: string) => resolveConnection(deps, ctx, { kind: 'id', id }, endUserId);
  const byDefault = (endUserId: string) =>
    resolveConnection(deps, ctx, { kind: 'application', applicationSlug: 'crm' }, endUserId);
  expect(await byId(9, 'customer-1')).toBe(theirs);
  expect(await byDefault('customer-1')).toBe(theirs);
  for (const other of [byId(9, 'customer-2'), byId(7, 'customer-1')])
    await expect(other).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(byDefault('customer-2')).rejects.toMatchObject({
    code: 'NO_DEFAULT_CONNECTION',
    message: 'The end user has no connection to crm. Open a connect session for them.',
  });
});
