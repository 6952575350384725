import { ManualClock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { sessionClientCollection } from './session-client.collection.ts';
import { sessionClientRepository } from './session-client.repository.ts';

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [sessionClientCollection]);
});
afterAll(() => store.drop());

test('the client of a session is known, with all that was added, until the session expires', async () => {
  // The index of the database goes by the real time.
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

test('the resources that a client follows are a set', async () => {
  const clock = new ManualClock(new Date());
  const clients = sessionClientRepository(store, clock);
  const session = { key: 'k-3', expiresAt: new Date(clock.now().getTime() + 60_000) };
  await clients.follow(testContext(), session, 'x://1', false);
  expect(await clients.find(testContext(), 'k-3')).toBeUndefined();
  for (const uri of ['x://1', 'x://2', 'x://1']) await clients.follow(testContext(), session, uri, true);
  expect(await clients.find(testContext(), 'k-3')).toEqual({ resourceUris: ['x://1', 'x://2'] });
  await clients.follow(testContext(), session, 'x://1', false);
  expect(await clients.find(testContext(), 'k-3')).toEqual({ resourceUris: ['x://2'] });
});
