import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { capturedEvent } from '../testing/firings.ts';
import { createAccountData } from './account-data.ts';
import { createEventDayRepository } from './event-day.repository.ts';
import { createOutboxRepository } from './outbox.repository.ts';
import { schema } from './schema.ts';

const ctx = testContext();
// Near real time, because the TTL monitor uses real time.
const NOW = new Date(`${new Date().toISOString().slice(0, 10)}T23:59:59.000Z`);
const LATER = new Date(NOW.getTime() + 1_000);
const today = NOW.toISOString().slice(0, 10);
const tomorrow = LATER.toISOString().slice(0, 10);
const days = { oldest: today, newest: tomorrow };

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
});
afterAll(() => store.drop());

let numbers = 0;
const newId = (prefix: string): string => `${prefix}_${(numbers += 1)}`;

function setUp() {
  const outbox = createOutboxRepository(store);
  /** Captures events and returns their ids. */
  async function capture(accountId: string, count: number, capturedAt = NOW): Promise<readonly string[]> {
    const events = Array.from({ length: count }, () => capturedEvent(newId('te'), { accountId, capturedAt }));
    await outbox.insert(events);
    return events.map(({ id }) => id);
  }
  return { outbox, repository: createEventDayRepository(store), capture };
}

test('each event is counted once, for its account and the day of its capture, however often it is confirmed', async () => {
  const { outbox, repository, capture } = setUp();
  const [mine, other] = [newId('acc'), newId('acc')];
  const ids = [...(await capture(mine, 5)), ...(await capture(other, 1)), ...(await capture(mine, 4, LATER))];
  expect(await repository.countByDay(ctx, mine, days)).toEqual(new Map());
  await outbox.confirm(ids.slice(0, 3), LATER);
  // Two replicas that both believe to have the lease, and one that was killed before it learned of its commit.
  await Promise.all([outbox.confirm(ids, LATER), outbox.confirm(ids, LATER)]);
  await outbox.confirm(ids, LATER);
  expect(await repository.countByDay(ctx, mine, days)).toEqual(
    new Map([
      [today, 5],
      [tomorrow, 4],
    ]),
  );
  expect(await repository.countByDay(ctx, other, { oldest: today, newest: today })).toEqual(
    new Map([[today, 1]]),
  );
  expect(await repository.countByDay(ctx, mine, { oldest: tomorrow, newest: tomorrow })).toEqual(
    new Map([[tomorrow, 4]]),
  );
});

test('counts are exported; what is confirmed after the erasure of its account leaves nothing', async () => {
  const { outbox, repository, capture } = setUp();
  const accountId = newId('acc');
  await outbox.confirm(await capture(accountId, 2), NOW);
  const data = createAccountData(
    store,
    { shred: () => Promise.resolve() },
    { end: () => Promise.resolve(true) },
  );
  const exported: unknown[] = [];
  for (const each of data.exports)
    if (each.collection === 'eventUsage')
      for await (const { record } of each.read(ctx, accountId, undefined)) exported.push(record);
  expect(exported).toEqual([{ date: today, events: 2 }]);
  const late = await capture(accountId, 1);
  expect(await data.erase(ctx, accountId)).toBe(true);
  await outbox.confirm(late, NOW);
  expect(await repository.countByDay(ctx, accountId, days)).toEqual(new Map());
});
