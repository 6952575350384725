import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { sourceOf } from '../testing/changes.ts';
import { MADE_AT } from '../testing/triggers.ts';
import { followDestinations } from './follow-destinations.ts';

test('destinations that were deleted leave the triggers before the cursor moves', async () => {
  const steps: string[] = [];
  const deletion = (accountId: string, destinationId: string) => ({ accountId, destinationId });
  const deps = {
    clock: new ManualClock(MADE_AT),
    mayContinue: () => Promise.resolve(true),
    isCursorDue: () => true,
    source: sourceOf({
      c7: {
        changes: [deletion('acc_1', 'dst_1'), deletion('acc_2', 'dst_2'), deletion('acc_1', 'dst_3')],
        nextCursor: 'c8',
        hasMore: false,
      },
    }),
    changes: {
      cursor: () => Promise.resolve('c7'),
      advance(source: string, cursor: string) {
        steps.push(`${source} at ${cursor}`);
        return Promise.resolve();
      },
    },
    triggers: {
      removeDestinations(_ctx: unknown, accountId: string, ids: readonly string[]) {
        steps.push(`remove ${accountId} ${ids.join()}`);
        return Promise.resolve();
      },
    },
  };
  await followDestinations(deps, testContext());
  expect(steps).toEqual(['remove acc_1 dst_1,dst_3', 'remove acc_2 dst_2', 'peer at c8']);
});
