import { randomUUID } from 'node:crypto';
import { ManualClock } from '@fairlead/service-kit/clock';
import { rateWindowCollection } from '@fairlead/limiter/mongo-window-store';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createHourlyCalls, eraseHourlyCalls } from './hourly-calls.ts';

const log = createLogger({ service: 'test', level: 'silent' });

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [rateWindowCollection]);
});
afterAll(() => store.drop());

test('replicas admit exactly as many calls of an hour as the toolset permits, and the next hour as many again', async () => {
  const clock = new ManualClock(new Date('2026-11-22T10:20:00.000Z'));
  const replicas = [1, 2, 3].map(() => createHourlyCalls({ store, clock, log }));
  const toolsetId = randomUUID();
  const burst = async () => {
    const calls = Array.from({ length: 10 }, () =>
      replicas.map((replica) => replica.take('mine', toolsetId, 7)),
    );
    const answers = await Promise.all(calls.flat());
    return answers.filter(({ outcome }) => outcome === 'admitted').length;
  };
  expect(await burst()).toBe(7);
  expect(await replicas[0]?.take('mine', toolsetId, 7)).toEqual({
    outcome: 'refused',
    retryAfterSeconds: 40 * 60,
  });
  // Refusals were not counted: with a higher limit exactly the difference is left.
  expect(await replicas[0]?.take('mine', toolsetId, 8)).toMatchObject({ outcome: 'admitted' });
  expect(await replicas[1]?.take('mine', toolsetId, 8)).toMatchObject({ outcome: 'refused' });
  expect(await replicas[0]?.take('other', toolsetId, 1)).toMatchObject({ outcome: 'admitted' });
  expect(await store.collection(rateWindowCollection).countDocuments()).toBe(2);
  clock.advance(40 * 60_000);
  expect(await burst()).toBe(7);
  expect(await eraseHourlyCalls(store, testContext(), 'mine')).toBe(true);
  expect(await store.collection(rateWindowCollection).countDocuments()).toBe(1);
});

test('a call that is given back counts no longer in its hour, also after the next has begun, and another one may run', async () => {
  const clock = new ManualClock(new Date('2026-11-22T10:59:59.000Z'));
  const calls = createHourlyCalls({ store, clock, log });
  const toolsetId = randomUUID();
  const counts = async () => {
    const all = await store.collection(rateWindowCollection).find().toArray();
    return all.filter(({ _id }) => _id.includes(toolsetId)).map(({ used }) => used);
  };
  const first = await calls.take('mine', toolsetId, 1);
  expect(await calls.take('mine', toolsetId, 1)).toMatchObject({ outcome: 'refused' });
  if (first.outcome === 'admitted') await first.giveBack();
  expect(await counts()).toEqual([0]);
  const second = await calls.take('mine', toolsetId, 1);
  expect(await counts()).toEqual([1]);
  clock.advance(1_000);
  expect(await calls.take('mine', toolsetId, 1)).toMatchObject({ outcome: 'admitted' });
  if (second.outcome === 'admitted') await second.giveBack();
  expect(new Set(await counts())).toEqual(new Set([0, 1]));
});
