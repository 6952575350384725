import { ManualClock } from '@fairlead/service-kit/clock';
import { prefixedId } from '@fairlead/service-kit/ids';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { MongoNetworkError } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { CapturedEvent } from '../domain/event.ts';
import type { ClaimedTrigger, RunResult, TriggerRuns, TriggerStore } from '../ports/trigger-store.ts';
import { capturedEvent } from '../testing/firings.ts';
import { trigger, unrecorded } from '../testing/triggers.ts';
import { createAccountData } from './account-data.ts';
import { outboxCollection } from './outbox.collection.ts';
import { createTriggerRuns } from './trigger-runs.repository.ts';
import { createOutboxRepository } from './outbox.repository.ts';
import { schema } from './schema.ts';
import { DUE_PATH, POLL_PARTITIONS, triggerCollection } from './trigger.collection.ts';
import { claimedRun, createTriggerRepository } from './trigger.repository.ts';

const NOW = new Date('2026-11-22T10:00:00.000Z');
const after = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1_000);
const CURSOR = { since: '2026-11-22T09:59:00.000Z', known: ['a@1'] };
const ctx = testContext();
let store: MongoStore & { drop(): Promise<void> };
let triggers: TriggerStore;
let runs: TriggerRuns;
let clock: ManualClock;
const offered: CapturedEvent[] = [];
let accountId: string;
let id: string;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
  const unused = (): Promise<never> => Promise.reject(new Error('no trigger here has a token'));
  triggers = createTriggerRepository(store, { seal: unused, open: unused }, unrecorded);
});
afterAll(() => store.drop());
beforeEach(async () => {
  clock = new ManualClock(NOW);
  offered.length = 0;
  runs = createTriggerRuns({
    store,
    outbox: createOutboxRepository(store),
    stream: { offer: (events) => void offered.push(...events) },
    clock,
  });
  [accountId, id] = [prefixedId('acc'), prefixedId('trg')];
  const {
    generation: _g,
    lastFiredAt: _f,
    lastError: _e,
    gaps: _gaps,
    updatedAt: _u,
    ...content
  } = trigger();
  const poll = { cursor: { since: null, known: [] }, failures: 2 };
  await triggers.insert(ctx, accountId, { ...content, id, createdAt: NOW, dueAt: NOW, poll });
});

/** Claims the account's due triggers, as a replica does. */
async function claim(now: Date): Promise<ClaimedTrigger> {
  const claims = createClaims(store, triggerCollection, DUE_PATH);
  const until = new Date(now.getTime() + 40_000);
  const [claimed] = await claims.claim(POLL_PARTITIONS + accountId, { now, until, limit: 1 });
  if (claimed === undefined) throw new Error('nothing is due');
  return claimedRun(claimed);
}

function event(firingKey: string): CapturedEvent {
  return capturedEvent(prefixedId('te'), { accountId, triggerId: id, firingKey });
}

function end(members: Partial<RunResult> = {}): RunResult {
  return {
    events: [event('a')],
    dueAt: after(10),
    poll: { cursor: CURSOR, failures: 0 },
    gaps: [],
    lastError: null,
    ...members,
  };
}

const document = () => store.collection(triggerCollection).findOne({ accountId, _id: id });
const outbox = async (): Promise<readonly string[]> =>
  (await store.collection(outboxCollection).find({ accountId }).toArray()).flatMap(
    ({ eventIds }) => eventIds,
  );

/** Commits, and expects that nothing was written. */
async function expectOvertaken(run: ClaimedTrigger): Promise<void> {
  const before = await document();
  expect(await runs.commit(run, end())).toBe(false);
  expect(await document()).toEqual(before);
  expect([await outbox(), offered]).toEqual([[], []]);
}

test('events, cursor and the next time are written together, and the claim ends', async () => {
  const run = await claim(NOW);
  expect(run).toMatchObject({ poll: { failures: 2 }, trigger: { accountId, id, generation: 1 } });
  clock.advance(1_000);
  expect(await runs.commit(run, end({ events: [event('a'), event('b')] }))).toBe(true);
  expect(await document()).toMatchObject({
    due: { at: after(10), claim: null },
    poll: { cursor: CURSOR, failures: 0 },
    lastFiredAt: after(1),
    lastError: null,
    generation: 1,
  });
  expect(await outbox()).toHaveLength(2);
  expect(offered.map(({ firingKey }) => firingKey)).toEqual(['a', 'b']);
});

test('an item that has fired before fires no second time, and the cursor moves', async () => {
  await runs.commit(await claim(NOW), end());
  await runs.commit(await claim(after(10)), end({ events: [event('a'), event('c')] }));
  expect(offered.map(({ firingKey }) => firingKey)).toEqual(['a', 'c']);
  expect(await outbox()).toHaveLength(2);
});

test('what is not given stays; the last ten gaps are kept', async () => {
  await store
    .collection(triggerCollection)
    .updateOne({ accountId, _id: id }, { $set: { lastError: 'Before.', lastFiredAt: NOW } });
  const gaps = Array.from({ length: 12 }, (_, at) => ({ from: NOW, to: after(at), reason: `${at}` }));
  await runs.commit(await claim(NOW), { events: [], dueAt: after(10), gaps });
  expect(await document()).toMatchObject({
    lastError: 'Before.',
    lastFiredAt: NOW,
    poll: { failures: 2 },
    gaps: gaps.slice(2),
  });
});

/** Further claimed triggers of the account, and the number of runs committed together. */
async function claimMore(count: number): Promise<readonly ClaimedTrigger[]> {
  const document = await store.collection(triggerCollection).findOne({ accountId, _id: id });
  if (document === null) throw new Error('The trigger is gone.');
  const more = Array.from({ length: count }, () => ({ ...document, _id: prefixedId('trg') }));
  await store.collection(triggerCollection).insertMany(more);
  const claims = createClaims(store, triggerCollection, DUE_PATH);
  const claimed = await claims.claim(POLL_PARTITIONS + accountId, {
    now: NOW,
    until: after(40),
    limit: 1_000,
  });
  return claimed.map(claimedRun);
}

const endOf = ({ trigger: { id: triggerId } }: ClaimedTrigger, eventId = prefixedId('te')): RunResult =>
  end({ events: [capturedEvent(eventId, { accountId, triggerId, firingKey: 'a' })] });

test('runs that end together are committed together; one that was overtaken commits nothing of its own', async () => {
  const claimed = await claimMore(39);
  const overtaken = claimed.filter((_, at) => at % 10 === 3);
  for (const { trigger: of } of overtaken)
    await triggers.update(ctx, accountId, { id: of.id, generation: 1 }, { name: 'New' }, NOW);
  const committed = await Promise.all(claimed.map((run) => runs.commit(run, endOf(run))));
  expect(committed).toEqual(claimed.map((run) => !overtaken.includes(run)));
  expect(await outbox()).toHaveLength(36);
  expect(offered).toHaveLength(36);
  const ended = { accountId, 'due.claim': null, 'due.at': after(10) };
  expect(await store.collection(triggerCollection).countDocuments(ended)).toBe(36);
  // Events written together share a document.
  expect(await store.collection(outboxCollection).countDocuments({ accountId })).toBe(1);
});

test('of runs that end together, one that cannot be stored fails alone', async () => {
  const claimed = await claimMore(4);
  const known = capturedEvent(prefixedId('te'), { accountId: prefixedId('acc') });
  await createOutboxRepository(store).insert([known]);
  // A group has the id of its first event.
  const commits = claimed.map((run, at) => runs.commit(run, endOf(run, at === 0 ? known.id : undefined)));
  const committed = await Promise.allSettled(commits);
  expect(committed.map(({ status }) => status)).toEqual([
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ]);
  expect(await outbox()).toHaveLength(4);
});

test('while the database is away a run is UNAVAILABLE, which passes', async () => {
  const away = () => Promise.reject(new MongoNetworkError('No mongod.'));
  const outbox = createOutboxRepository(store);
  const stream = { offer: () => undefined };
  const cut = createTriggerRuns({ store: { ...store, withTransaction: away }, outbox, stream, clock });
  await expect(cut.commit(await claim(NOW), end())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('changes of triggers while their runs are committed: each change is kept, and its run writes all or nothing', async () => {
  const claimed = await claimMore(59);
  const [committed] = await Promise.all([
    Promise.all(claimed.map((run) => runs.commit(run, endOf(run)))),
    ...claimed.map(({ trigger: of }) =>
      triggers.update(ctx, accountId, { id: of.id, generation: 1 }, { name: 'New' }, NOW),
    ),
  ]);
  const documents = await store.collection(triggerCollection).find({ accountId, name: 'New' }).toArray();
  expect(documents).toHaveLength(60);
  const ended = documents.filter(({ due }) => due?.claim === null);
  expect(ended).toHaveLength(committed.filter(Boolean).length);
  expect(await outbox()).toHaveLength(ended.length);
});

test('a schedule is due in the partition of its account, a poll in another one, whatever is written', async () => {
  const partition = async (of: string) =>
    (await store.collection(triggerCollection).findOne({ accountId, _id: of }))?.due?.lane;
  const {
    generation: _g,
    lastFiredAt: _f,
    lastError: _e,
    gaps: _gaps,
    updatedAt: _u,
    ...content
  } = trigger();
  const schedule = prefixedId('trg');
  const start = { dueAt: NOW, poll: null, webhookId: null };
  await triggers.insert(ctx, accountId, { ...content, id: schedule, createdAt: NOW, ...start });
  expect([await partition(schedule), await partition(id)]).toEqual([accountId, POLL_PARTITIONS + accountId]);
  await triggers.update(ctx, accountId, { id: schedule, generation: 1 }, start, NOW);
  await triggers.update(ctx, accountId, { id, generation: 1 }, { dueAt: NOW }, NOW);
  expect([await partition(schedule), await partition(id)]).toEqual([accountId, POLL_PARTITIONS + accountId]);
  const claims = createClaims(store, triggerCollection, DUE_PATH);
  const [claimed] = await claims.claim(accountId, { now: NOW, until: after(40), limit: 1 });
  if (claimed === undefined) throw new Error('nothing is due');
  await runs.commit(claimedRun(claimed), { events: [], dueAt: after(10) });
  await runs.commit(await claim(NOW), end());
  expect([await partition(schedule), await partition(id)]).toEqual([accountId, POLL_PARTITIONS + accountId]);
});

test('a runner that was paused beyond its claim writes nothing: another one has the trigger', async () => {
  const paused = await claim(NOW);
  const other = await claim(after(41));
  await expectOvertaken(paused);
  expect(await runs.commit(other, end())).toBe(true);
});

test('of replicas that come to one tick at once, one runs it', async () => {
  const claims = createClaims(store, triggerCollection, DUE_PATH);
  const o = { now: NOW, until: after(40), limit: 1 };
  const claimed = await Promise.all(
    Array.from({ length: 20 }, () => claims.claim(POLL_PARTITIONS + accountId, o)),
  );
  const [one, ...others] = claimed.flat().map(claimedRun);
  expect(others).toEqual([]);
  if (one === undefined) throw new Error('nothing is due');
  expect(await runs.commit(one, end())).toBe(true);
  expect(await outbox()).toHaveLength(1);
});

test('by a clock that goes back an hour, nothing that has fired is due again', async () => {
  const claims = createClaims(store, triggerCollection, DUE_PATH);
  await runs.commit(await claim(NOW), end());
  const earlier = { now: after(-3_600), until: after(-3_560), limit: 1 };
  expect(await claims.claim(POLL_PARTITIONS + accountId, earlier)).toEqual([]);
  await runs.commit(await claim(after(10)), end({ events: [event('b')] }));
  expect(offered.map(({ firingKey }) => firingKey)).toEqual(['a', 'b']);
});

test('a run of a trigger that was changed meanwhile writes nothing', async () => {
  const run = await claim(NOW);
  await triggers.update(ctx, accountId, { id, generation: 1 }, { name: 'New' }, NOW);
  await expectOvertaken(run);
});

test('a run of a trigger that was disabled or deleted meanwhile writes nothing', async () => {
  const run = await claim(NOW);
  const disabled = { isEnabled: false, enabledAt: null, dueAt: null, poll: null };
  await triggers.update(ctx, accountId, { id, generation: 1 }, disabled, NOW);
  await expectOvertaken(run);
  await triggers.delete(ctx, accountId, id);
  await expectOvertaken(run);
});

test('of an account that is erased a run writes nothing and none begins, also while its vendors are waited for', async () => {
  const run = await claim(NOW);
  const data = createAccountData(
    store,
    { shred: () => Promise.resolve() },
    { end: () => Promise.resolve(false) },
  );
  expect(await data.erase(ctx, accountId)).toBe(false);
  await expectOvertaken(run);
  await expect(claim(after(60))).rejects.toThrow('nothing is due');
});

test('events that cannot be stored leave the cursor where it was', async () => {
  const run = await claim(NOW);
  const before = await document();
  const first = event('a');
  const sameId = capturedEvent(first.id, { accountId: prefixedId('acc') });
  await createOutboxRepository(store).insert([sameId]);
  await expect(runs.commit(run, end({ events: [first, event('b')] }))).rejects.toThrow('E11000');
  expect(await document()).toEqual(before);
  expect([await outbox(), offered]).toEqual([[], []]);
});
