import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { countEventsByDay } from './count-events-by-day.ts';

it('counts the events of the caller’s own account on the days asked for', async () => {
  const asked: unknown[] = [];
  const eventCounts = {
    countByDay(_ctx: unknown, accountId: string, days: object) {
      asked.push({ accountId, ...days });
      return Promise.resolve(new Map([['2026-01-02', 3]]));
    },
  };
  const days = { oldest: '2026-01-01', newest: '2026-01-02' };
  const counted = await countEventsByDay({ eventCounts }, testContext({ accountId: 'acc_7' }), days);
  expect([...counted]).toEqual([['2026-01-02', 3]]);
  expect(asked).toEqual([{ accountId: 'acc_7', ...days }]);
});
