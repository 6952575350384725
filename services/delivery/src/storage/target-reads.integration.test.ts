import { guid } from '@fairlead/service-kit/ids';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { Collection } from 'mongodb';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { newDestination } from '../testing/destinations.ts';
import { testSealer } from '../testing/sealer.ts';
import { createDestinationRepository } from './destination.repository.ts';
import { schema } from './schema.ts';
import { createTargetReads } from './target-reads.ts';

test('destinations that are wanted at once are read by one query, each as it is, and one that is deleted or unknown is none', async () => {
  const store = await testStore(inject('mongodbUri'), schema.collections);
  onTestFinished(() => store.drop());
  const sealer = testSealer(store);
  const repository = createDestinationRepository(store, sealer, () => Promise.resolve());
  const ids = Array.from({ length: 100 }, () => `dst_${guid()}`);
  const accountOf = new Map(ids.map((id) => [id, guid()]));
  for (const [id, accountId] of accountOf) {
    const given = newDestination({ id, url: `https://example.com/${id}` });
    await repository.insert(testContext(), accountId, given, 1);
  }
  const [deleted = ''] = ids;
  await repository.delete(testContext(), accountOf.get(deleted) ?? '', deleted, new Date());
  const find = vi.spyOn(Collection.prototype, 'find');
  onTestFinished(() => find.mockRestore());
  const read = createTargetReads(store, sealer);
  const found = await Promise.all([...ids, 'dst_unknown'].map(read));
  expect(found.map((each) => each && [each.id, each.accountId, each.url])).toEqual([
    undefined,
    ...ids.slice(1).map((id) => [id, accountOf.get(id), `https://example.com/${id}`]),
    undefined,
  ]);
  expect(
    (find.mock.contexts as Collection[]).filter((each) => each.collectionName === 'destinations'),
  ).toHaveLength(1);
});
