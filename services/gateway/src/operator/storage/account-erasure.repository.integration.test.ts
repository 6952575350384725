import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { accountErasureCollection } from './account-erasure.collection.ts';
import { accountErasureRepository } from './account-erasure.repository.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const MINUTE = 60_000;

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [accountErasureCollection]);
});
afterAll(() => store.drop());

test('an erasure that is due is claimed by one of many replicas, and one that fails keeps no other from its turn', async () => {
  const erasures = accountErasureRepository(store);
  const until = new Date(NOW.getTime() + MINUTE);
  for (const id of ['acc_a', 'acc_b']) await erasures.begin(id, { now: NOW, until: NOW });
  const claims = await Promise.all(Array.from({ length: 8 }, () => erasures.claimDue({ now: NOW, until })));
  expect(claims.flatMap((claim) => claim?.accountId ?? []).toSorted()).toEqual(['acc_a', 'acc_b']);
});

test('what is due is found by an index', async () => {
  const plan = await store
    .collection(accountErasureCollection)
    .find({ nextAt: { $type: 'date', $lte: NOW } })
    .sort({ nextAt: 1 })
    .explain('queryPlanner');
  const stages = JSON.stringify((plan['queryPlanner'] as { winningPlan: unknown }).winningPlan);
  expect(stages).toContain('"indexName":"due"');
});
