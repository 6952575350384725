import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { Secret } from '@fairlead/service-kit/secret';
import type { Sealer } from '@fairlead/sealing/sealing';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { tryEveryBinding } from '@fairlead/sealing/testing/sealed-bindings';
import { guid } from '@fairlead/service-kit/ids';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Deletion } from '../domain/destination.ts';
import type { DestinationStore } from '../ports/destination-store.ts';
import { testSealer } from '../testing/sealer.ts';
import { newDestination } from '../testing/destinations.ts';
import { destinationCollection } from './destination.collection.ts';
import { createDestinationRepository, openHeaders } from './destination.repository.ts';
import { schema } from './schema.ts';
import { sealedCollections } from './sealed-collections.ts';

const NOW = new Date('2026-11-22T10:00:00.000Z');
const LATER = new Date('2026-11-22T11:00:00.000Z');
const ctx = testContext();
let store: MongoStore & { drop(): Promise<void> };
let sealer: Sealer;
let repository: DestinationStore;
const deleted: (Deletion & { readonly isInTransaction: boolean })[] = [];
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
  sealer = testSealer(store);
  repository = createDestinationRepository(store, sealer, (session, deletion) => {
    deleted.push({ ...deletion, isInTransaction: session.inTransaction() });
    return Promise.resolve();
  });
});
afterAll(() => store.drop());

/** A stored destination of a new account. */
async function insertDestination(o: Parameters<typeof newDestination>[0] = {}) {
  const accountId = guid();
  const given = newDestination({ id: `dst_${guid()}`, createdAt: NOW, updatedAt: NOW, ...o });
  await repository.insert(ctx, accountId, given, 10);
  const { secret: _secret, headers: _headers, ...shown } = given;
  return { accountId, id: given.id, shown };
}

const document = (id: string) => store.collection(destinationCollection).findOne({ _id: id });

test('a destination is read as it was written, by its account only', async () => {
  const { accountId, id, shown } = await insertDestination();
  expect(await repository.find(ctx, accountId, id)).toEqual(shown);
  expect(await repository.find(ctx, guid(), id)).toBeUndefined();
  expect(await repository.list(ctx, accountId, { offset: 0, top: 10 })).toEqual({
    items: [shown],
    totalCount: 1,
  });
  expect(await repository.findIds(ctx, accountId, [id, 'dst_other'])).toEqual([id]);
  expect(await repository.findIds(ctx, guid(), [id])).toEqual([]);
});

test('an account has at most as many as are allowed, however many are created at the same time', async () => {
  const { accountId, id } = await insertDestination();
  const insert = () => repository.insert(ctx, accountId, newDestination({ id: `dst_${guid()}` }), 3);
  const outcomes = await Promise.all(Array.from({ length: 8 }, insert));
  expect(outcomes.filter((outcome) => outcome === 'inserted')).toHaveLength(2);
  expect(await insert()).toBe('tooMany');
  await repository.delete(ctx, accountId, id, LATER);
  expect(await insert()).toBe('inserted');
});

test('secrets and headers are sealed, each for its own place', async () => {
  const { id } = await insertDestination();
  const text = JSON.stringify(await document(id));
  for (const secret of ['whsec_', 'header-value-of-the-team']) expect(text).not.toContain(secret);
  const tried = await tryEveryBinding(store, sealer, sealedCollections);
  expect(tried).toEqual({
    fields: ['destinations.headers', 'destinations.secret'],
    closed: [],
    movable: [],
  });
});

test('a change of headers keeps the values that it names, and refuses to keep what is not there', async () => {
  const { accountId, id } = await insertDestination();
  const change = (values: Record<string, string>, kept: readonly string[]) =>
    repository.update(ctx, accountId, id, { headers: { values, kept } }, LATER);
  expect(await change({ 'x-more': '2' }, ['x-team'])).toMatchObject({
    destination: { headerNames: ['x-team', 'x-more'], updatedAt: LATER },
  });
  const after = await document(id);
  const values = after === null ? undefined : (await openHeaders(sealer, after)).reveal();
  expect(values).toEqual({ 'x-team': 'header-value-of-the-team', 'x-more': '2' });
  expect(await change({}, ['x-other'])).toEqual({ kind: 'unknownHeaders', names: ['x-other'] });
  expect(await change({}, [])).toMatchObject({ destination: { headerNames: [] } });
});

test('of a new address and new headers at once, either both hold or the address is refused', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { accountId, id } = await insertDestination();
    await repository.update(ctx, accountId, id, { headers: { values: {}, kept: [] } }, LATER);
    const secret = { headers: { values: { authorization: 'of-the-former-address' }, kept: [] } };
    const [moved] = await Promise.allSettled([
      repository.update(ctx, accountId, id, { url: 'https://elsewhere.example/' }, LATER),
      repository.update(ctx, accountId, id, secret, LATER),
    ]);
    const present = await repository.find(ctx, accountId, id);
    // If the address was changed second, the check saw the new headers.
    expect(moved).toMatchObject(
      moved.status === 'rejected' ? { reason: { code: 'VALIDATION_ERROR' } } : { value: { kind: 'changed' } },
    );
    expect(present?.url.startsWith('https://elsewhere.example')).toBe(moved.status === 'fulfilled');
    expect(present?.headerNames).toEqual(['authorization']);
  }
});

test('enabling one clears its failures, and leaves what is older than a day behind, in one write', async () => {
  const { accountId, id } = await insertDestination();
  await store
    .collection(destinationCollection)
    .updateOne(
      { _id: id },
      { $set: { deadStreak: ['te_1', 'te_2'], disabledReason: 'consecutiveFailures' } },
    );
  expect(await repository.find(ctx, accountId, id)).toMatchObject({ consecutiveFailures: 2 });
  const enabled = await repository.update(ctx, accountId, id, { isEnabled: true }, LATER);
  expect(enabled).toMatchObject({ destination: { disabledReason: null, consecutiveFailures: 0 } });
  expect(await document(id)).toMatchObject({
    epoch: 1,
    resumeFrom: new Date('2026-11-21T11:00:00.000Z'),
    upkeep: { lane: id, at: LATER, claim: null },
  });
  // Enabling it again changes nothing.
  await repository.update(ctx, accountId, id, { isEnabled: true, name: 'Other' }, LATER);
  expect(await document(id)).toMatchObject({ epoch: 1, name: 'Other' });
  const disabled = await repository.update(ctx, accountId, id, { isEnabled: false }, LATER);
  expect(disabled).toMatchObject({ destination: { disabledReason: 'owner' } });
});

test('a replaced secret is another one', async () => {
  const { accountId, id } = await insertDestination();
  const former = (await document(id))?.secret;
  expect(await repository.replaceSecret(ctx, accountId, id, new Secret('whsec_bmV3'), LATER)).toMatchObject({
    updatedAt: LATER,
  });
  expect((await document(id))?.secret).not.toBe(former);
  expect(await repository.replaceSecret(ctx, guid(), id, new Secret('whsec_bmV3'), LATER)).toBeUndefined();
});

test('a deleted one is gone for every reader, with a change record', async () => {
  const { accountId, id } = await insertDestination();
  expect(await repository.delete(ctx, guid(), id, NOW)).toBe(false);
  expect(await repository.delete(ctx, accountId, id, NOW)).toBe(true);
  expect(await repository.delete(ctx, accountId, id, NOW)).toBe(false);
  expect(await repository.find(ctx, accountId, id)).toBeUndefined();
  expect(await repository.findIds(ctx, accountId, [id])).toEqual([]);
  expect(await repository.list(ctx, accountId, { offset: 0, top: 10 })).toEqual({ items: [], totalCount: 0 });
  expect(await repository.update(ctx, accountId, id, {}, NOW)).toEqual({ kind: 'missing' });
  const recorded = deleted.filter((deletion) => deletion.accountId === accountId);
  expect(recorded).toEqual([{ accountId, destinationId: id, occurredAt: NOW, isInTransaction: true }]);
});
