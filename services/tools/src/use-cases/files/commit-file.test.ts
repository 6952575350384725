import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { storedFile } from '../../testing/files.ts';
import { commitFile } from './commit-file.ts';

test('an upload of the caller’s account becomes a file now; any other id is NOT_FOUND', async () => {
  const asked: unknown[] = [];
  const clock = new ManualClock(new Date('2026-11-22T10:00:00.000Z'));
  const commit = (_ctx: unknown, ...of: [string, string, Date]) => {
    asked.push(of);
    return Promise.resolve(of[1] === 'file_1' ? storedFile() : undefined);
  };
  const deps = { clock, files: { commit } };
  const ctx = testContext({ accountId: 'acc_1' });
  expect(await commitFile(deps, ctx, 'file_1')).toEqual(storedFile());
  await expect(commitFile(deps, ctx, 'file_2')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(asked[0]).toEqual(['acc_1', 'file_1', clock.now()]);
});
