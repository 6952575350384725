import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { endedSessionCollection } from './ended-session.collection.ts';
import { endedSessionRepository } from './ended-session.repository.ts';

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [endedSessionCollection]);
});
afterAll(() => store.drop());

test('a session that was ended, even twice, is known as such; no other is', async () => {
  const ended = endedSessionRepository(store);
  const session = { key: 'k-1', expiresAt: new Date('2026-11-30T10:00:00.000Z') };
  await Promise.all([ended.add(testContext(), session), ended.add(testContext(), session)]);
  expect(await ended.has(testContext(), 'k-1')).toBe(true);
  expect(await ended.has(testContext(), 'k-2')).toBe(false);
  // Simultaneous callers: each gets its own answer.
  const keys = ['k-2', 'k-1', 'k-2', 'k-3', 'k-1'];
  expect(await Promise.all(keys.map((key) => ended.has(testContext(), key)))).toEqual(
    keys.map((key) => key === 'k-1'),
  );
  const documents = await store.collection(endedSessionCollection).find().toArray();
  expect(documents).toEqual([{ _id: 'k-1', expiresAt: session.expiresAt }]);
});
