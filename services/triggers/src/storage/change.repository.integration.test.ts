import { ManualClock } from '@fairlead/service-kit/clock';
import { prefixedId } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { connectionChange } from '../testing/changes.ts';
import { MADE_AT, trigger, unrecorded } from '../testing/triggers.ts';
import { createChangeRepository, pendingChange } from './change.repository.ts';
import type { ChangeRepository } from './change.repository.ts';
import { createFiringRepository } from './firing.repository.ts';
import { CHANGE_DUE_PATH, pendingChangeCollection } from './pending-change.collection.ts';
import { schema } from './schema.ts';
import { triggerCollection } from './trigger.collection.ts';
import type { TriggerDocument } from './trigger.collection.ts';
import { createTriggerRepository } from './trigger.repository.ts';

const clock = new ManualClock(MADE_AT);
let store: MongoStore & { drop(): Promise<void> };
let changes: ChangeRepository;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
  changes = createChangeRepository(store, clock);
});
afterAll(() => store.drop());

async function insert(accountId: string, members: Partial<TriggerDocument> = {}): Promise<string> {
  const { id: _id, configuration, hookToken: _none, ...same } = trigger({ id: prefixedId('trg') });
  const document = { ...same, _id, accountId, configuration: configuration.text, due: null };
  await store.collection(triggerCollection).insertOne({ ...document, ...members });
  return _id;
}

test('changes are kept once, together with the cursor, until they have fired', async () => {
  const [source, accountId, id] = [prefixedId('src'), prefixedId('acc'), prefixedId('chg')];
  expect(await changes.cursor(source)).toBeUndefined();
  const change = connectionChange({ id, accountId, reason: 'It was revoked.' });
  await changes.advance(source, 'c1', [change]);
  expect(await changes.cursor(source)).toBe('c1');

  const claims = createClaims(store, pendingChangeCollection, CHANGE_DUE_PATH);
  const until = new Date(MADE_AT.getTime() + 30_000);
  const [claimed] = await claims.claim(accountId, { now: MADE_AT, until, limit: 5 });
  if (claimed === undefined) throw new Error('nothing is due');
  expect(pendingChange(claimed.document)).toEqual(change);
  // Reading a page again, as after a crash, changes neither claim nor progress.
  await claims.settle(claimed, { at: MADE_AT, set: { firedUntil: 'trg_1' } });
  await changes.advance(source, 'c2', [change]);
  const [again] = await claims.claim(accountId, { now: MADE_AT, until, limit: 5 });
  if (again === undefined) throw new Error('nothing is due');
  expect(again.document.firedUntil).toBe('trg_1');
  // After losing the claim, nothing is removed.
  await changes.remove(claimed);
  expect(await store.collection(pendingChangeCollection).countDocuments({ accountId })).toBe(1);
  await changes.remove(again);
  expect(await store.collection(pendingChangeCollection).countDocuments({ accountId })).toBe(0);
});

test('accounts with triggers are found by the index alone', async () => {
  const [mine, none] = [prefixedId('acc'), prefixedId('acc')];
  for (let at = 0; at < 20; at += 1) await insert(mine);
  const { db } = store;
  await db.command({ profile: 2 });
  expect([...(await changes.accountsWithTriggers([mine, none]))]).toEqual([mine]);
  await db.command({ profile: 0 });
  const [executed] = await db
    .collection<{ planSummary: string; docsExamined: number }>('system.profile')
    .find({ op: 'command', planSummary: { $exists: true } })
    .toArray();
  expect(executed?.planSummary).not.toContain('COLLSCAN');
  expect(executed?.docsExamined).toBe(0);
});

test('enabled triggers of a type are found after an id, by an index', async () => {
  const accountId = prefixedId('acc');
  const type = { triggerTypeSlug: 'connection_deleted' };
  const ids = [];
  for (let at = 0; at < 3; at += 1) ids.push(await insert(accountId, type));
  await insert(accountId, { ...type, isEnabled: false });
  await insert(accountId);
  const firings = createFiringRepository(store, clock);
  const found = async (after: string | null, limit: number): Promise<readonly string[]> =>
    (await firings.findOfType(accountId, 'connection_deleted', after, limit)).map(({ id }) => id);
  ids.sort();
  expect(await found(null, 2)).toEqual(ids.slice(0, 2));
  expect(await found(ids[1] ?? '', 2)).toEqual(ids.slice(2));
  const plan = await store
    .collection(triggerCollection)
    .find({ accountId, ...type, isEnabled: true, _id: { $gt: ids[0] ?? '' } })
    .sort({ _id: 1 })
    .explain('queryPlanner');
  expect(JSON.stringify(plan)).toContain('"indexName":"of_a_type"');
});

test('a destination leaves all triggers of its account, and what was to be written with it is not', async () => {
  const [mine, other] = [prefixedId('acc'), prefixedId('acc')];
  const named = await insert(mine, { destinationIds: ['dst_1', 'dst_2'] });
  const unnamed = await insert(mine, { destinationIds: ['dst_3'] });
  const theirs = await insert(other, { destinationIds: ['dst_1'] });
  const unused = (): Promise<never> => Promise.reject(new Error('no trigger here has a token'));
  const triggers = createTriggerRepository(store, { seal: unused, open: unused }, unrecorded);
  const ctx = testContext();
  const LATER = new Date(MADE_AT.getTime() + 1_000);
  await triggers.removeDestinations(ctx, mine, ['dst_1'], LATER);
  expect(await triggers.find(ctx, mine, named)).toMatchObject({ destinationIds: ['dst_2'], generation: 2 });
  expect(await triggers.find(ctx, mine, unnamed)).toMatchObject({ generation: 1 });
  expect(await triggers.find(ctx, other, theirs)).toMatchObject({ destinationIds: ['dst_1'] });
  const at = { id: named, generation: 1 };
  const late = await triggers.update(ctx, mine, at, { destinationIds: ['dst_1'] }, LATER);
  expect(late).toBeUndefined();
  const plan = await store
    .collection(triggerCollection)
    .find({ accountId: mine, destinationIds: { $in: ['dst_1'] } })
    .explain('queryPlanner');
  expect(JSON.stringify(plan)).toContain('"indexName":"of_a_destination"');
});
