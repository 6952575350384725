import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { systemTimers } from '@fairlead/service-kit/timers';
import { expect, it } from 'vitest';
import { keptSince } from '../domain/event.ts';
import { delivery, eventView, NOON, queuedAttempt } from '../testing/events.ts';
import { getEvent } from './get-event.ts';

const ctx = testContext({ accountId: 'acc_1' });
const parts = { clock: new ManualClock(NOON), timers: systemTimers };
const pending = eventView({}, [delivery({ open: queuedAttempt() })]);

it('shows the account’s event, if it is still kept, and whether its next attempt waits', async () => {
  const asked: unknown[] = [];
  const events = {
    find: (_ctx: unknown, ...args: unknown[]) => {
      asked.push(args);
      return Promise.resolve(pending);
    },
    findDisabled: (_ctx: unknown, ...args: unknown[]) => {
      asked.push(args);
      return Promise.resolve(new Set(['dst_1']));
    },
  };
  const { attempts } = await getEvent({ ...parts, events }, ctx, 'te_1');
  expect(attempts).toMatchObject([{ state: 'pending', nextAttemptAt: null }]);
  expect(asked).toEqual([
    ['acc_1', 'te_1', keptSince(NOON)],
    ['acc_1', ['dst_1']],
  ]);
});

it('is NOT_FOUND for any other', async () => {
  const events = {
    find: () => Promise.resolve(undefined),
    findDisabled: () => Promise.reject(new Error('not asked')),
  };
  const found = getEvent({ ...parts, events }, ctx, 'te_2');
  await expect(found).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
