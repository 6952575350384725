import { ManualClock } from '@fairlead/service-kit/clock';
import { prefixedId } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { composeEvent } from '../domain/event.ts';
import type { CapturedEvent } from '../domain/event.ts';
import { MADE_AT, trigger, unrecorded } from '../testing/triggers.ts';
import { createFiringRepository } from './firing.repository.ts';
import { outboxCollection } from './outbox.collection.ts';
import { createOutboxRepository } from './outbox.repository.ts';
import { schema } from './schema.ts';
import { DUE_PATH, triggerCollection } from './trigger.collection.ts';
import type { TriggerDocument } from './trigger.collection.ts';
import { claimedRun, createTriggerRepository, firingTrigger } from './trigger.repository.ts';
import { createTriggerRuns } from './trigger-runs.repository.ts';

const LATER = new Date(MADE_AT.getTime() + 60_000);
const ctx = testContext();
let store: MongoStore & { drop(): Promise<void> };
const clock = new ManualClock(MADE_AT);
const offered: CapturedEvent[] = [];
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
});
afterAll(() => store.drop());

async function insert(members: Partial<TriggerDocument> = {}): Promise<TriggerDocument> {
  const { id: _id, configuration, hookToken: _none, ...same } = trigger({ id: prefixedId('trg') });
  const document: TriggerDocument = {
    ...same,
    _id,
    accountId: prefixedId('acc'),
    configuration: configuration.text,
    due: null,
    ...members,
  };
  await store.collection(triggerCollection).insertOne(document);
  return document;
}

/** A due trigger claimed by this process, and a function that commits its run. */
async function claimFirings() {
  const accountId = prefixedId('acc');
  const document = await insert({ accountId, due: { lane: accountId, at: MADE_AT, claim: null } });
  const claims = createClaims(store, triggerCollection, DUE_PATH);
  const [claim] = await claims.claim(accountId, { now: MADE_AT, until: LATER, limit: 1 });
  if (claim === undefined) throw new Error('nothing was due');
  const stream = { offer: (events: readonly CapturedEvent[]) => void offered.push(...events) };
  const runs = createTriggerRuns({ store, outbox: createOutboxRepository(store), stream, clock });
  const run = claimedRun(claim);
  const firing = {
    accountId,
    triggerId: document._id,
    triggerType: 'schedule',
    destinationIds: [],
    occurredAt: MADE_AT,
    payload: Buffer.from('{}'),
    firingKey: 'tick:1',
  };
  const commit = () =>
    runs.commit(run, { events: [composeEvent(firing, prefixedId('te'), MADE_AT)], dueAt: LATER });
  return { accountId, document, commit, claims };
}
const read = (accountId: string) => store.collection(triggerCollection).findOne({ accountId });
const captured = (accountId: string) => store.collection(outboxCollection).countDocuments({ accountId });

test('a run captures its events, is offered to the stream and is due again, in one write', async () => {
  const { accountId, commit } = await claimFirings();
  expect(await commit()).toBe(true);
  expect(await captured(accountId)).toBe(1);
  expect(offered.filter((event) => event.accountId === accountId)).toHaveLength(1);
  expect(await read(accountId)).toMatchObject({
    lastFiredAt: MADE_AT,
    due: { lane: accountId, at: LATER, claim: null },
  });
  // Repeated, as by a process that was paused.
  expect(await commit()).toBe(false);
  expect(await captured(accountId)).toBe(1);
});

test.each([
  [
    'somebody else has claimed it since',
    (accountId: string) =>
      store
        .collection(triggerCollection)
        .updateOne({ accountId }, { $set: { 'due.claim.token': 'another' } }),
  ],
  [
    'it was changed',
    async (accountId: string, id: string) => {
      const sealer = { seal: () => Promise.reject(new Error()), open: () => Promise.reject(new Error()) };
      const change = { isEnabled: false, enabledAt: null, dueAt: null };
      const triggers = createTriggerRepository(store, sealer, unrecorded);
      return triggers.update(ctx, accountId, { id, generation: 1 }, change, LATER);
    },
  ],
  ['it was deleted', (accountId: string) => store.collection(triggerCollection).deleteOne({ accountId })],
])('a run commits nothing if %s', async (_reason, interfere) => {
  const { accountId, document, commit } = await claimFirings();
  await interfere(accountId, document._id);
  const before = await read(accountId);
  expect(await commit()).toBe(false);
  expect(await captured(accountId)).toBe(0);
  expect(await read(accountId)).toEqual(before);
});

test('triggers are found by the digests of their tokens, by an index', async () => {
  const hook = {
    tokenHash: prefixedId('h'),
    token: 's1.k.x' as NonNullable<TriggerDocument['hook']>['token'],
  };
  const { accountId, _id } = await insert({ hook });
  const firings = createFiringRepository(store, clock);
  const found = await firings.findByHooks([hook.tokenHash, 'nobody']);
  expect([...found]).toMatchObject([[hook.tokenHash, { id: _id, accountId, isEnabled: true }]]);
  const plan = await store
    .collection(triggerCollection)
    .find({ 'hook.tokenHash': { $in: [hook.tokenHash], $gt: '' } })
    .explain('queryPlanner');
  expect(JSON.stringify(plan)).not.toContain('COLLSCAN');
  expect(JSON.stringify(plan)).toContain('"indexName":"hook"');
});

test('that a trigger fired, and why it did not, is written once a second at most', async () => {
  const { accountId, ...document } = await insert();
  const fired = firingTrigger({ accountId, ...document });
  const firings = createFiringRepository(store, clock);
  const at = (ms: number): Date => new Date(MADE_AT.getTime() + ms);
  await firings.noteFired([fired, fired], at(0));
  await firings.noteFired([fired], at(900));
  expect((await read(accountId))?.lastFiredAt).toEqual(at(0));
  await firings.noteFired([fired], at(1_000));
  expect((await read(accountId))?.lastFiredAt).toEqual(at(1_000));
  const lastError = async () => (await read(accountId))?.lastError;
  await firings.noteError(fired, 'x'.repeat(2_000));
  expect(await lastError()).toBe('x'.repeat(1_000));
  clock.advance(999);
  await firings.noteError(fired, 'y');
  expect(await lastError()).toBe('x'.repeat(1_000));
  // Users have changed it, so the next error is recorded at once.
  await firings.noteError({ ...fired, generation: fired.generation + 1 }, 'z');
  expect(await lastError()).toBe('z');
  clock.advance(1);
  await firings.noteError(fired, 'y');
  expect(await lastError()).toBe('y');
  await firings.noteFired([{ ...fired, lastError: 'y' }], at(1_001));
  expect(await read(accountId)).toMatchObject({ lastError: null, lastFiredAt: at(1_001) });
  // The trigger succeeded in between, so the next error is recorded at once.
  await firings.noteError(fired, 'y');
  expect(await lastError()).toBe('y');
  await firings.noteError(fired, null);
  expect(await lastError()).toBeNull();
  await firings.noteError(fired, 'y');
  expect(await lastError()).toBe('y');
});
