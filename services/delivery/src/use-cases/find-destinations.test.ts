import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { findDestinations } from './find-destinations.ts';

it('asks for the ids of the account, at most a hundred', async () => {
  const asked: unknown[] = [];
  const destinations = {
    findIds(_ctx: unknown, accountId: string, ids: readonly string[]) {
      asked.push([accountId, ids]);
      return Promise.resolve(['dst_1']);
    },
  };
  const ctx = testContext({ accountId: 'acc_1' });
  expect(await findDestinations({ destinations }, ctx, ['dst_1', 'dst_2'])).toEqual(['dst_1']);
  expect(await findDestinations({ destinations }, ctx, [])).toEqual([]);
  const many = Array.from({ length: 101 }, (_, at) => `dst_${String(at)}`);
  await expect(findDestinations({ destinations }, ctx, many)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  expect(asked).toEqual([['acc_1', ['dst_1', 'dst_2']]]);
});
