import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { connection, listedConnection, NOW, OWNER } from '../testing/builders.ts';
import { deleteEndUser } from './delete-end-user.ts';

test('sessions go first, then every connection, also one that another call deletes or adds meanwhile; then their record', async () => {
  const done: unknown[] = [];
  let isLate = true;
  const left = new Map([7, 8, 9].map((id) => [id, listedConnection({ id, endUserId: 'customer-1' })]));
  const deps = {
    awaitSharedReads: () => {
      done.push('waited');
      return Promise.resolve();
    },
    clock: new ManualClock(NOW),
    catalog: { deleteApplication: () => Promise.resolve() },
    connectSessions: {
      deleteOfEndUser: (_ctx: unknown, ...of: unknown[]) => {
        done.push(of);
        return Promise.resolve();
      },
    },
    connections: {
      list: () => Promise.resolve({ items: [...left.values()], totalCount: left.size }),
      find: (_ctx: unknown, _account: string, id: number) => {
        if (id === 8) left.delete(8);
        return Promise.resolve(left.has(id) ? connection({ id, endUserId: 'customer-1' }) : undefined);
      },
      delete: (_ctx: unknown, _account: string, id: number) => {
        done.push(id);
        return Promise.resolve(left.delete(id));
      },
      forgetEndUser: (_ctx: unknown, ...of: unknown[]) => {
        done.push(['forget', ...of]);
        if (isLate) left.set(10, listedConnection({ id: 10, endUserId: 'customer-1' }));
        isLate = false;
        return Promise.resolve(left.size === 0);
      },
    },
  };
  const deleted = await deleteEndUser(deps, testContext(OWNER), 'customer-1');
  // Another call has deleted 8; it is in use, too.
  expect(deleted).toEqual([7, 8, 9, 10]);
  const forget = ['forget', OWNER.accountId, 'customer-1'];
  expect(done).toEqual([[OWNER.accountId, 'customer-1'], 7, 9, forget, 10, forget, 'waited']);
  await expect(deleteEndUser(deps, testContext(OWNER), '')).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'endUserId' }],
  });
});
