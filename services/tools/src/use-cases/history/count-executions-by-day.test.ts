import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { RETENTION_SECONDS } from '../../domain/execution.ts';
import type { History } from '../../ports/history.ts';
import { countExecutionsByDay } from './count-executions-by-day.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const KEPT_SINCE = new Date(NOW.getTime() - RETENTION_SECONDS * 1_000);
const days = [{ date: '2026-11-20', executionCount: 3 }];

/** Counts; returns the days, and the account and period of the query. */
async function count(period: { from?: Date; to?: Date }) {
  const asked: Parameters<History['countByDay']>[] = [];
  const history: Pick<History, 'countByDay'> = {
    countByDay(...query) {
      asked.push(query);
      return Promise.resolve(days);
    },
  };
  const ctx = testContext({ accountId: 'acc_1' });
  const request = { from: period.from, to: period.to };
  const result = await countExecutionsByDay({ history, clock: new ManualClock(NOW) }, ctx, request);
  return { result, asked: asked.map(([, accountId, asPeriod]) => [accountId, asPeriod]) };
}

test('without a period all kept rows up to now are counted', async () => {
  const { result, asked } = await count({});
  expect(result).toEqual(days);
  expect(asked).toEqual([['acc_1', { from: KEPT_SINCE, to: NOW }]]);
});

test('a period starts no earlier than the oldest kept rows, and ends as requested', async () => {
  const to = new Date('2026-11-01T00:00:00.000Z');
  const from = new Date('2026-10-01T00:00:00.000Z');
  expect((await count({ from: new Date(0), to })).asked).toEqual([['acc_1', { from: KEPT_SINCE, to }]]);
  expect((await count({ from, to })).asked).toEqual([['acc_1', { from, to }]]);
});
