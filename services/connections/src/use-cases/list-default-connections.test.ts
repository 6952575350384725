import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { ConnectionStore } from '../ports/connection-store.ts';
import { connection, OWNER } from '../testing/builders.ts';
import { listDefaultConnections } from './list-default-connections.ts';

test("the calling account's defaults of the named applications are returned, or those of an end user", async () => {
  const asked: unknown[] = [];
  const findDefaults: ConnectionStore['findDefaults'] = (_ctx, accountId, slugs) => {
    asked.push([accountId, slugs]);
    return Promise.resolve([connection()]);
  };
  const findOfEndUser: ConnectionStore['findOfEndUser'] = (_ctx, accountId, endUserId, slugs) => {
    asked.push([accountId, endUserId, slugs]);
    return Promise.resolve([]);
  };
  const deps = { connections: { findDefaults, findOfEndUser } };
  expect(await listDefaultConnections(deps, testContext(OWNER), ['a', 'b'])).toEqual([connection()]);
  expect(await listDefaultConnections(deps, testContext(OWNER), ['a'], 'customer-1')).toEqual([]);
  expect(asked).toEqual([
    [OWNER.accountId, ['a', 'b']],
    [OWNER.accountId, 'customer-1', ['a']],
  ]);
});
