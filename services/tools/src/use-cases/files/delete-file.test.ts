import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { deleteFile } from './delete-file.ts';

test('a file of the caller’s account is removed; any other id is NOT_FOUND', async () => {
  const asked: unknown[] = [];
  const clock = new ManualClock(new Date('2026-11-22T10:00:00.000Z'));
  const remove = (_ctx: unknown, ...of: [string, string, Date]) => {
    asked.push(of);
    return Promise.resolve(of[1] === 'file_1');
  };
  const deps = { clock, files: { remove } };
  const ctx = testContext({ accountId: 'acc_1' });
  await deleteFile(deps, ctx, 'file_1');
  await expect(deleteFile(deps, ctx, 'file_2')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(asked[0]).toEqual(['acc_1', 'file_1', clock.now()]);
});
