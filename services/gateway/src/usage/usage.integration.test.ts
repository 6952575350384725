import { create } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { CountExecutionsByDayResponseSchema } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { CountEventsByDayResponseSchema } from '@fairlead/contracts/triggers/v1/trigger_service_pb';
import { ManualClock } from '@fairlead/service-kit/clock';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { createDayMeter } from '@fairlead/service-kit/metering/day-meter';
import { startMeterFlushing } from '@fairlead/service-kit/metering/meter-flushing';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { usageData } from './storage/account-data.ts';
import { usageDayCollection } from './storage/usage-day.collection.ts';
import { usageRepository } from './storage/usage.repository.ts';
import { createUsageReports } from './usage-reports.ts';

const NOW = new Date(`${new Date().toISOString().slice(0, 10)}T12:00:00.000Z`);
const today = NOW.toISOString().slice(0, 10);
const DAY_MS = 24 * 60 * 60_000;
const page = { offset: 0, top: 100 };

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [usageDayCollection]);
});
afterAll(() => store.drop());

let accounts = 0;

function setUp() {
  const accountId = `acc_${(accounts += 1)}`;
  const ctx = testContext({ accountId });
  const clock = new ManualClock(NOW);
  const counts = usageRepository(store);
  const asked: [Date, Date][] = [];
  const date = (timestamp: unknown) => timestampDate(timestamp as Timestamp);
  const reports = createUsageReports({
    store: counts,
    clock,
    executions: {
      countExecutionsByDay(_ctx, { from, to }) {
        asked.push([date(from), date(to)]);
        const days = [{ date: today, executionCount: 4n }];
        return Promise.resolve(create(CountExecutionsByDayResponseSchema, { days }));
      },
    },
    triggers: {
      countEventsByDay(_ctx, { newest }) {
        const days = [{ date: newest ?? '', eventCount: 5n }];
        return Promise.resolve(create(CountEventsByDayResponseSchema, { days }));
      },
    },
  });
  const meter = () =>
    createDayMeter({ counts, clock, findOpenAccounts: (ids) => Promise.resolve(new Set(ids)) });
  return { accountId, ctx, clock, meter, reports, asked };
}

test('replicas count into one number a day, and days without anything are zeros', async () => {
  const { accountId, ctx, meter, reports, asked } = setUp();
  const replicas = [meter(), meter(), meter()];
  for (const replica of replicas) replica.count(accountId);
  await Promise.all(replicas.map((replica) => replica.flush()));
  const { items, totalCount } = await reports.list(ctx, { period: {}, page: { offset: 0, top: 2 } });
  expect(totalCount).toBe(30);
  const yesterday = new Date(NOW.getTime() - DAY_MS).toISOString().slice(0, 10);
  expect(items).toEqual([
    { day: today, callCount: 3, executionCount: 4, eventCount: 5 },
    { day: yesterday, callCount: 0, executionCount: 0, eventCount: 0 },
  ]);
  // The services are asked only for the days of the page, from their first to their last moment.
  expect(asked).toEqual([
    [new Date(`${yesterday}T00:00:00.000Z`), new Date(new Date(`${today}T00:00:00.000Z`).getTime() + DAY_MS)],
  ]);
});

test('a page beyond the last day is empty and calls no service', async () => {
  const { ctx, reports, asked } = setUp();
  const answer = await reports.list(ctx, { period: {}, page: { offset: 30, top: 10 } });
  expect(answer).toEqual({ items: [], totalCount: 30 });
  expect(asked).toEqual([]);
});

test('what was counted last is written when the flushing ends', async () => {
  const { accountId, ctx, meter, reports } = setUp();
  const counting = meter();
  const log = createLogger({ service: 'test', level: 'silent' });
  const flushing = startMeterFlushing({ meter: counting, log });
  counting.count(accountId);
  await flushing.close();
  expect((await reports.list(ctx, { period: {}, page })).items[0]?.callCount).toBe(1);
});

test('usage is given out and erased by account', async () => {
  const { accountId, ctx, meter } = setUp();
  const counting = meter();
  counting.count(accountId);
  counting.count('acc_other');
  await counting.flush();
  const data = usageData(store);
  const read = async () => {
    const found = [];
    for (const source of data.exports)
      for await (const { record } of source.read(ctx, accountId, undefined)) found.push(record);
    return found;
  };
  expect(await read()).toEqual([{ date: today, calls: 1 }]);
  expect(await data.erase(ctx, accountId)).toBe(true);
  expect(await read()).toEqual([]);
  expect(await store.collection(usageDayCollection).countDocuments({ accountId: 'acc_other' })).toBe(1);
});

test('a report reads an index', async () => {
  const plan = await store
    .collection(usageDayCollection)
    .find({ accountId: 'acc_1', day: { $gte: today, $lte: today } })
    .explain('queryPlanner');
  const stages = JSON.stringify((plan['queryPlanner'] as { winningPlan: unknown }).winningPlan);
  expect(stages).toContain('"IXSCAN"');
});
