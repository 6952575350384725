import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { MADE_AT, trigger } from '../testing/triggers.ts';
import { dropDeletedDestinations } from './drop-deleted-destinations.ts';

const written = trigger({ destinationIds: ['dst_1', 'dst_2'] });

async function drop(
  findExisting: (ids: readonly string[]) => Promise<readonly string[]>,
  ids = written.destinationIds,
) {
  const removed: unknown[] = [];
  const reread = trigger({ destinationIds: ['dst_1'] });
  const result = await dropDeletedDestinations(
    {
      destinations: { findExisting: (_ctx, asked) => findExisting(asked) },
      triggers: {
        find: () => Promise.resolve(reread),
        removeDestinations(_ctx, ...of: unknown[]) {
          removed.push(of);
          return Promise.resolve();
        },
      },
      clock: new ManualClock(MADE_AT),
    },
    testContext({ accountId: 'acc_1' }),
    written,
    ids,
  );
  return { result, removed, reread };
}

test('destinations that were deleted meanwhile are taken out, and only those', async () => {
  expect(await drop((ids) => Promise.resolve(ids))).toMatchObject({ result: written, removed: [] });
  const { result, removed, reread } = await drop(() => Promise.resolve(['dst_1']));
  expect(removed).toEqual([['acc_1', ['dst_2'], MADE_AT]]);
  expect(result).toBe(reread);
});

test('nothing is looked up without destinations, and a trigger that is stored is not refused for a lookup that fails', async () => {
  const fails = (): Promise<never> => Promise.reject(new Error('away'));
  expect(await drop(fails, [])).toMatchObject({ result: written, removed: [] });
  expect(await drop(fails)).toMatchObject({ result: written, removed: [] });
});
