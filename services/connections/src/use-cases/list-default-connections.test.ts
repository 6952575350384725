import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { ConnectionStore } from '../ports/connection-store.ts';
import { connection, OWNER } from '../testing/builders.ts';
import { listDefaultConnections } from './list-default-connections.ts';

test("the calling account's defaults of the named applications are returned", async () => {
  const asked: unknown[] = [];
  const findDefaults: ConnectionStore['findDefaults'] = (_ctx, accountId, slugs) => {
    asked.push([accountId, slugs]);
    return Promise.resolve([connection()]);
  };
  const deps = { connections: { findDefaults } };
  expect(await listDefaultConnections(deps, testContext(OWNER), ['a', 'b'])).toEqual([connection()]);
  expect(asked).toEqual([[OWNER.accountId, ['a', 'b']]]);
});
