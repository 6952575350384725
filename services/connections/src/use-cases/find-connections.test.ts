import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { Connection } from '../domain/connection.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import { connection, openedProvider, OWNER } from '../testing/builders.ts';
import { findConnections } from './find-connections.ts';

const authProviders = { find: () => Promise.reject(new Error('no provider is asked for')) };

test("the calling account's connections are asked for, at most 1 000 at once", async () => {
  const asked: unknown[] = [];
  const findAll: ConnectionStore['findAll'] = (_ctx, accountId, ids, filter) => {
    asked.push([accountId, ids.length, filter]);
    return Promise.resolve([connection()]);
  };
  const find = (count: number, ctx = testContext(OWNER)) =>
    findConnections({ connections: { findAll }, authProviders }, ctx, {
      ids: Array.from({ length: count }, (_, index) => index + 1),
      applicationSlugs: ['crm'],
      endUserId: 'customer-1',
      withRevisions: false,
    });
  expect(await find(1_000)).toEqual([{ connection: connection(), revision: undefined }]);
  await expect(find(1_001)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  const { accountId } = OWNER;
  await find(1, testContext({ caller: { kind: 'serviceForAccount', service: 'mcp', accountId } }));
  const filter = { applicationSlugs: ['crm'], endUserId: 'customer-1' };
  expect(asked).toEqual([
    [accountId, 1_000, filter],
    [accountId, 1, filter],
  ]);
});

test('the revision of a credential changes with what is entered and with the addresses of its auth provider', async () => {
  const values: Record<string, string> = { BaseUrl: 'https://a.example' };
  const asked: number[] = [];
  const revisionsOf = async (...found: Connection[]) => {
    const deps = {
      connections: { findAll: () => Promise.resolve(found) },
      authProviders: {
        find(_ctx: unknown, _accountId: string, id: number) {
          asked.push(id);
          return Promise.resolve(id === 3 ? { ...openedProvider().provider, values } : undefined);
        },
      },
    };
    const choice = { ids: [1], applicationSlugs: [], endUserId: undefined, withRevisions: true };
    return (await findConnections(deps, testContext(OWNER), choice)).map(({ revision }) => revision);
  };
  const own = connection({ authProviderId: null });
  const provided = connection({ authProviderId: 3 });
  const former = await revisionsOf(own, provided, provided, connection({ authProviderId: 0 }));
  expect(former).toEqual(['1', expect.stringMatching(/^1\../), former[1], '1']);
  expect(asked).toEqual([3]);
  values['BaseUrl'] = 'https://b.example';
  const later = await revisionsOf({ ...own, credentialRevision: 2 }, provided);
  expect(later[0]).toBe('2');
  expect(later[1]).not.toBe(former[1]);
});
