import { ManualClock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { clientRegistered } from '../domain/audit-event.ts';
import { clientRepository } from './client.repository.ts';
import { oauthClientCollection } from './oauth-client.collection.ts';

const MINUTE_MS = 60_000;
const START = new Date('2026-11-22T10:00:00Z');

let store: MongoStore & { drop(): Promise<void> };
let clock: ManualClock;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [oauthClientCollection]);
});
afterAll(() => store.drop());
beforeEach(async () => {
  clock = new ManualClock(START);
  await store.collection(oauthClientCollection).deleteMany({});
});

const clients = () => clientRepository({ store, clock, recordEvent: () => Promise.resolve() });

/** Registers clients of one network, one second apart. */
async function register(network: string, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    clock.advance(1000);
    const event = clientRegistered({ requestId: 'r', occurredAt: clock.now() }, id, []);
    await clients().insertRegistered(id, { client_id: id }, network, event);
  }
}

async function listLeft(): Promise<readonly string[]> {
  const documents = await store.collection(oauthClientCollection).find().sort({ _id: 1 }).toArray();
  return documents.map(({ _id }) => _id);
}

test('a flood of registrations removes no client of the last ten minutes', async () => {
  await register('flood', 'f1', 'f2');
  clock.advance(10 * MINUTE_MS);
  await register('office', 'o1');
  await register('flood', 'f3', 'f4');
  await clients().trimUnused(0, 100);
  expect(await listLeft()).toEqual(['f3', 'f4', 'o1']);
});

test('the network that has most loses its oldest first', async () => {
  await register('office', 'o1');
  await register('flood', 'f1', 'f2', 'f3', 'f4');
  await register('home', 'h1', 'h2');
  clock.advance(10 * MINUTE_MS);
  await clients().trimUnused(5, 100);
  expect(await listLeft()).toEqual(['f3', 'f4', 'h1', 'h2', 'o1']);
  await clients().trimUnused(3, 100);
  expect(await listLeft()).toEqual(['f4', 'h2', 'o1']);
});

test('clients of the last ten minutes have a bound too', async () => {
  await register('office', 'o1');
  await register('flood', 'f1', 'f2', 'f3');
  await clients().trimUnused(0, 2);
  expect(await listLeft()).toEqual(['f3', 'o1']);
});

test('a client that was granted something stays', async () => {
  await register('flood', 'f1', 'f2');
  await clients().noteGrant('f1', new Date(START.getTime() + 1000));
  clock.advance(10 * MINUTE_MS);
  await clients().trimUnused(0, 0);
  expect(await listLeft()).toEqual(['f1']);
});
