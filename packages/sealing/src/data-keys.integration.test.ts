import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { dataKeyCollection, mongoDataKeyStore } from './data-keys.ts';
import { ringKeyEncryption } from './ring-key-encryption.ts';
import { createSealer } from './sealing.ts';
import { dataKeyStoreSuite } from './testing/data-keys-suite.ts';
import { testStore } from '@fairlead/service-kit/testing/mongo';

let store: Awaited<ReturnType<typeof testStore>>;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [dataKeyCollection]);
});
afterAll(() => store.drop());

describe('the store of services', () => {
  dataKeyStoreSuite(() => mongoDataKeyStore(store));
});

it('a value sealed by one process opens in another, and the key is not stored in plain', async () => {
  const keyRing = parseKeyRing(`v1:${Buffer.alloc(32, 1).toString('base64')}`);
  const create = () =>
    createSealer({ encryption: ringKeyEncryption(keyRing), store: mongoDataKeyStore(store) });
  const sealed = await create().seal('acc', ['a'], 'hunter2');
  expect((await create().open('acc', ['a'], sealed)).reveal()).toBe('hunter2');
  const stored = await store.collection(dataKeyCollection).findOne({ _id: 'acc' });
  // iv 12, wrapped key 32, tag 16.
  expect(Buffer.from(stored?.wrapped ?? '', 'base64url')).toHaveLength(60);
});
