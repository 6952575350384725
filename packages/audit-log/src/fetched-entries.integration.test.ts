import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { AuditStore } from './ports/audit-store.ts';
import { auditEntryCollection } from './storage/audit-entry.collection.ts';
import { auditCollections, auditRepository } from './storage/audit.repository.ts';
import { testEntry } from './testing/entries.ts';

let store: MongoStore & { drop(): Promise<void> };
let entries: AuditStore;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), auditCollections);
  entries = auditRepository(store);
});
afterAll(() => store.drop());

describe('entries of fetched events', () => {
  const some = (...ids: string[]) => ids.map((id) => testEntry(id, { accountId: 'acc_fetched' }));
  const stored = () => store.collection(auditEntryCollection);

  test('that exist stay as they are, the others are written', async () => {
    await entries.insertMissing(some('aud_1', 'aud_2'));
    await stored().updateOne({ _id: 'aud_2' }, { $set: { batch: 3 } });
    await entries.insertMissing(some('aud_2', 'aud_3', 'aud_1', 'aud_4'));
    const found = await stored().find({ accountId: 'acc_fetched' }).sort({ _id: 1 }).toArray();
    expect(found.map(({ _id, batch }) => [_id, batch])).toEqual([
      ['aud_1', 0],
      ['aud_2', 3],
      ['aud_3', 0],
      ['aud_4', 0],
    ]);
  });

  test('that cannot be written are an error, also beside some that exist', async () => {
    await entries.insertMissing(some('aud_5'));
    const collMod = auditEntryCollection.name;
    await store.db.command({ collMod, validator: { _id: { $ne: 'aud_refused' } } });
    await expect(entries.insertMissing(some('aud_5', 'aud_refused'))).rejects.toThrow('E11000');
    await store.db.command({ collMod, validator: {} });
    await expect(entries.insertMissing(some('aud_5', 'aud_refused'))).resolves.toBeUndefined();
  });
});
