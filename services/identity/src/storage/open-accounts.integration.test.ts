import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { accountCollection, accountDocument } from './account.collection.ts';
import { newAccount } from '../domain/new-records.ts';
import { openAccounts } from './open-accounts.ts';

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [accountCollection]);
});
afterAll(() => store.drop());

test('an account is open while it exists and is not being erased', async () => {
  const now = new Date();
  await store
    .collection(accountCollection)
    .insertMany([
      accountDocument(newAccount('acc_1', 'Open', now)),
      accountDocument({ ...newAccount('acc_2', 'Closed', now), erasingAt: now }),
    ]);
  expect([...(await openAccounts(store)(['acc_1', 'acc_2', 'acc_3']))]).toEqual(['acc_1']);
});
