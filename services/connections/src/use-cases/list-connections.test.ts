import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { ConnectionFilter, ConnectionStore } from '../ports/connection-store.ts';
import { listedConnection, NOW, OWNER } from '../testing/builders.ts';
import { listConnections } from './list-connections.ts';

test("a list holds the calling account's connections under the given filter", async () => {
  const asked: unknown[] = [];
  const page = { items: [listedConnection()], totalCount: 4 };
  const list: ConnectionStore['list'] = (_ctx, accountId, filter, now) => {
    asked.push([accountId, filter, now]);
    return Promise.resolve(page);
  };
  const filter: ConnectionFilter = {
    top: 1,
    offset: 2,
    kinds: ['MCPClient'],
    applicationSlug: 'crm',
    status: 'Active',
  };
  expect(await listConnections({ connections: { list } }, testContext(OWNER), filter, NOW)).toEqual(page);
  expect(asked).toEqual([[OWNER.accountId, filter, NOW]]);
});
