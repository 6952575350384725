import { ManualClock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { sessionClientCollection } from './session-client.collection.ts';
import { sessionClientRepository, sessionSubscriptionRepository } from './session-client.repository.ts';

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [sessionClientCollection]);
});
afterAll(() => store.drop());

test('the client of a session is known, with all that was added, until the session expires', async () => {
  // The database's TTL index uses the real time.
  const clock = new ManualClock(new Date());
  const clients = sessionClientRepository(store, clock);
  const session = { key: 'k-1', expiresAt: new Date(clock.now().getTime() + 60_000) };
  await clients.add(testContext(), session, { capabilities: 5 });
  expect(await clients.find(testContext(), 'k-1')).toEqual({ capabilities: 5 });
  await clients.add(testContext(), session, { logLevel: 'error' });
  await clients.add(testContext(), session, { logLevel: 'debug' });
  expect(await clients.find(testContext(), 'k-1')).toEqual({ capabilities: 5, logLevel: 'debug' });
  expect(await clients.find(testContext(), 'k-2')).toBeUndefined();
  clock.advance(60_000);
  expect(await clients.find(testContext(), 'k-1')).toBeUndefined();
});

test('a session has its subscriptions, within bounds, until it expires', async () => {
  const clock = new ManualClock(new Date());
  const subscriptions = sessionSubscriptionRepository(store, clock);
  const clients = sessionClientRepository(store, clock);
  const session = { key: 's-1', expiresAt: new Date(clock.now().getTime() + 60_000) };
  await clients.add(testContext(), session, { logLevel: 'error' });
  expect(await subscriptions.find(testContext(), 's-1')).toEqual([]);
  for (const uri of ['b://$x', 'a://1', 'a://1'])
    expect(await subscriptions.add(testContext(), session, uri)).toBe(true);
  expect([...(await subscriptions.find(testContext(), 's-1'))].sort()).toEqual(['a://1', 'b://$x']);
  await subscriptions.remove(testContext(), 's-1', 'b://$x');
  await subscriptions.remove(testContext(), 's-2', 'a://1');
  expect(await subscriptions.find(testContext(), 's-1')).toEqual(['a://1']);
  for (let at = 2; at <= 100; at += 1) await subscriptions.add(testContext(), session, `a://${at}`);
  expect(await subscriptions.add(testContext(), session, 'a://101')).toBe(false);
  expect(await subscriptions.add(testContext(), session, 'a://7')).toBe(true);
  expect(await clients.find(testContext(), 's-1')).toEqual({ logLevel: 'error' });
  clock.advance(60_000);
  expect(await subscriptions.find(testContext(), 's-1')).toEqual([]);
});
