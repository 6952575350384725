import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { RETENTION_SECONDS } from '../domain/execution.ts';
import type { History } from '../ports/history.ts';
import { countExecutionsByDay } from './count-executions-by-day.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const KEPT_SINCE = new Date(NOW.getTime() - RETENTION_SECONDS * 1_000);
const days = [{ date: '2026-11-20', executionCount: 3 }];

/** Counts; answers the days, and the account and the period that the history was asked for. */
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
  const answer = await countExecutionsByDay({ history, clock: new ManualClock(NOW) }, ctx, request);
  return { answer, asked: asked.map(([, accountId, asPeriod]) => [accountId, asPeriod]) };
}

test('without a period: as far back as rows are kept, up to now', async () => {
  const { answer, asked } = await count({});
  expect(answer).toEqual(days);
  expect(asked).toEqual([['acc_1', { from: KEPT_SINCE, to: NOW }]]);
});

test('a period begins with the rows that are kept at the earliest, and ends where it says', async () => {
  const to = new Date('2026-11-01T00:00:00.000Z');
  const from = new Date('2026-10-01T00:00:00.000Z');
  expect((await count({ from: new Date(0), to })).asked).toEqual([['acc_1', { from: KEPT_SINCE, to }]]);
  expect((await count({ from, to })).asked).toEqual([['acc_1', { from, to }]]);
});
