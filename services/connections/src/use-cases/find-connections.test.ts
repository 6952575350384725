import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { ConnectionStore } from '../ports/connection-store.ts';
import { connection, OWNER } from '../testing/builders.ts';
import { findConnections } from './find-connections.ts';

test("the calling account's connections are asked for, at most 1 000 at once", async () => {
  const asked: unknown[] = [];
  const findAll: ConnectionStore['findAll'] = (_ctx, accountId, ids, filter) => {
    asked.push([accountId, ids.length, filter]);
    return Promise.resolve([connection()]);
  };
  const find = (count: number) =>
    findConnections({ connections: { findAll } }, testContext(OWNER), {
      ids: Array.from({ length: count }, (_, index) => index + 1),
      applicationSlugs: ['crm'],
      endUserId: 'customer-1',
    });
  expect(await find(1_000)).toEqual([connection()]);
  await expect(find(1_001)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(asked).toEqual([[OWNER.accountId, 1_000, { applicationSlugs: ['crm'], endUserId: 'customer-1' }]]);
});
