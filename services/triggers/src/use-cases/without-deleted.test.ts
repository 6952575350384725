import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { CONNECTION_DELETED } from '../domain/trigger.ts';
import { MADE_AT, trigger } from '../testing/triggers.ts';
import { withoutDeleted } from './without-deleted.ts';
import type { TriggerReferences } from './without-deleted.ts';

const written = trigger({ destinationIds: ['dst_1', 'dst_2'] });
const reread = trigger({ name: 'As it is then' });
const named: TriggerReferences = { destinationIds: written.destinationIds, connectionId: 7 };
const fails = (): Promise<never> => Promise.reject(new Error('away'));

async function settle(
  {
    destinations = ['dst_1', 'dst_2'],
    isConnected = true,
    isAway = false,
  }: { destinations?: readonly string[]; isConnected?: boolean; isAway?: boolean },
  of: TriggerReferences = named,
  stored = written,
) {
  const steps: unknown[] = [];
  const looked: string[] = [];
  const result = await withoutDeleted(
    {
      connections: {
        find(_ctx, id) {
          looked.push(String(id));
          if (isAway) return fails();
          return Promise.resolve(isConnected ? { id, applicationSlug: 'sandbox-crm' } : undefined);
        },
      },
      destinations: {
        findExisting(_ctx, ids) {
          looked.push(...ids);
          return isAway ? fails() : Promise.resolve(destinations);
        },
      },
      triggers: {
        find: () => Promise.resolve(reread),
        removeDestinations: (_ctx, ...removed) => Promise.resolve(void steps.push(removed)),
        disableUses: (_ctx, ...disabled) => Promise.resolve(void steps.push(disabled)),
      },
      clock: new ManualClock(MADE_AT),
    },
    testContext({ accountId: 'acc_1' }),
    stored,
    of,
  );
  return { result, steps, looked };
}

test('destinations that were deleted meanwhile are taken out, and only those', async () => {
  expect(await settle({})).toEqual({ result: written, steps: [], looked: ['dst_1', 'dst_2', '7'] });
  const { result, steps } = await settle({ destinations: ['dst_1'] });
  expect(steps).toEqual([['acc_1', ['dst_2'], MADE_AT]]);
  expect(result).toBe(reread);
});

test('without the connection that it was enabled with, it is disabled', async () => {
  const { result, steps } = await settle({ isConnected: false });
  expect(steps).toEqual([['acc_1', [7], CONNECTION_DELETED, MADE_AT]]);
  expect(result).toBe(reread);
  const disabled = trigger({ isEnabled: false });
  expect(await settle({ isConnected: false }, named, disabled)).toMatchObject({
    result: disabled,
    steps: [],
  });
});

test('nothing is looked up that the write did not name, and a trigger that is stored is not refused for a lookup that fails', async () => {
  const nothing = { destinationIds: [], connectionId: undefined };
  expect(await settle({ isAway: true }, nothing)).toEqual({ result: written, steps: [], looked: [] });
  expect(await settle({ isAway: true })).toMatchObject({ result: written, steps: [] });
});
