import { ManualClock } from '@fairlead/service-kit/clock';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { Secret } from '@fairlead/service-kit/secret';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { TRIGGER_LIMITS } from '../domain/trigger.ts';
import { trigger, unrecorded } from '../testing/triggers.ts';
import { createChangeRepository } from './change.repository.ts';
import { createFiringRepository } from './firing.repository.ts';
import { createOutboxRepository } from './outbox.repository.ts';
import { schema } from './schema.ts';
import { DUE_PATH, SCHEDULE_PARTITIONS, triggerCollection } from './trigger.collection.ts';
import { claimedRun, createTriggerRepository, firingTrigger } from './trigger.repository.ts';
import { createTriggerRuns } from './trigger-runs.repository.ts';

const ACCOUNTS = 100;
const EACH = TRIGGER_LIMITS.perAccount;
const NOW = new Date('2026-11-22T10:00:00.000Z');
const MINUTE_MS = 60_000;
const ctx = testContext();
const clock = new ManualClock(NOW);
const unused = (): never => {
  throw new Error('Nothing is sealed here.');
};

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
  const { id: _id, configuration, hookToken: _token, ...same } = trigger();
  const number = { $toString: '$number' };
  const inAccount = { $mod: ['$number', EACH] };
  // Made by the server, which takes a few seconds.
  await store.db
    .aggregate([
      { $documents: [{ number: { $range: [0, ACCOUNTS * EACH] } }] },
      { $unwind: '$number' },
      {
        $project: {
          ...Object.fromEntries(Object.entries(same).map(([name, value]) => [name, { $literal: value }])),
          _id: { $concat: ['trg_', number] },
          accountId: { $concat: ['acc_', { $toString: { $floor: { $divide: ['$number', EACH] } } }] },
          configuration: { $literal: configuration.text },
          connectionId: inAccount,
          destinationIds: [{ $concat: ['dst_', { $toString: inAccount }] }],
          // One of a hundred is of that type, and as many are due.
          triggerTypeSlug: {
            $cond: [{ $eq: [{ $mod: ['$number', 100] }, 0] }, 'connection_created', 'schedule'],
          },
          hook: { tokenHash: { $concat: ['hash ', number] } },
          createdAt: { $add: [NOW, '$number'] },
          due: {
            lane: { $concat: ['acc_', { $toString: { $floor: { $divide: ['$number', EACH] } } }] },
            at: { $add: [NOW, { $multiply: [{ $subtract: [inAccount, 9] }, MINUTE_MS] }] },
            claim: { $literal: null },
          },
        },
      },
      { $merge: { into: triggerCollection.name } },
    ])
    .toArray();
});
afterAll(() => store.drop());

interface Profiled {
  readonly ns: string;
  readonly planSummary?: string;
  readonly keysExamined?: number;
  readonly docsExamined?: number;
  readonly hasSortStage?: boolean;
}

/** The operations on triggers of `act`. */
async function profiled(act: () => Promise<unknown>): Promise<readonly Profiled[]> {
  const { db } = store;
  await db.command({ profile: 2 });
  await act();
  await db.command({ profile: 0 });
  const found = await db
    .collection<Profiled>('system.profile')
    .find({ planSummary: { $exists: true } })
    .toArray();
  await db.dropCollection('system.profile');
  return found.filter(({ ns }) => ns.endsWith(`.${triggerCollection.name}`));
}

test('with 100 000 triggers, as many as 100 accounts may have, every query reads its part of an index only', async () => {
  const sealer = { seal: unused, open: () => Promise.resolve(new Secret('token')) };
  const triggers = createTriggerRepository(store, sealer, unrecorded);
  const firings = createFiringRepository(store, clock);
  const changes = createChangeRepository(store, clock);
  const claims = createClaims(store, triggerCollection, DUE_PATH);
  const stream = { offer: () => undefined };
  const runs = createTriggerRuns({ store, outbox: createOutboxRepository(store), stream, clock });
  const accountId = 'acc_42';
  const document = await store.collection(triggerCollection).findOne({ _id: 'trg_42000' });
  if (document === null) throw new Error('The triggers were not made.');
  const one = firingTrigger(document);
  // What each may examine: as many keys as it has results, and some.
  const bounds: Readonly<Record<string, readonly [keys: number, act: () => Promise<unknown>]>> = {
    'a page, and how many there are': [
      EACH + 150,
      async () => {
        const { items, totalCount } = await triggers.list(ctx, accountId, { offset: 0, top: 100 });
        expect([items.length, totalCount]).toEqual([100, EACH]);
      },
    ],
    'whether there may be more': [150, () => triggers.count(ctx, accountId, 100)],
    'uses of a connection': [5, () => triggers.listUses(ctx, accountId, 17, 10)],
    'disabling uses': [10, () => triggers.disableUses(ctx, accountId, [18], 'Gone.', NOW)],
    'a deleted destination': [10, () => triggers.removeDestinations(ctx, accountId, ['dst_19'], NOW)],
    'tokens of calls': [20, () => firings.findByHooks(['hash 1', 'hash 2', 'hash 3'])],
    'some by their ids': [10, () => firings.findMany([{ accountId, triggerId: 'trg_42001' }])],
    'those of a type': [30, () => firings.findOfType(accountId, 'connection_created', null, 20)],
    'when one fired': [5, () => firings.noteFired([one], NOW)],
    'why one failed': [5, () => firings.noteError(one, 'Failed.')],
    'accounts of changes': [20, () => changes.accountsWithTriggers(['acc_1', 'acc_2', 'acc_none'])],
    'partitions with due triggers': [
      3 * ACCOUNTS,
      async () => expect(await claims.duePartitions(NOW, 1_000)).toHaveLength(ACCOUNTS),
    ],
    // Ten of each account are due.
    'partitions with due schedules, by their time': [
      10 * ACCOUNTS + 1,
      async () => {
        const o = { partitions: SCHEDULE_PARTITIONS, hasTimeIndex: true };
        const byTime = createClaims(store, triggerCollection, DUE_PATH, o);
        expect(await byTime.duePartitions(NOW, 1_000)).toHaveLength(ACCOUNTS);
      },
    ],
    'a claim, a run and its end': [
      60,
      async () => {
        const until = new Date(NOW.getTime() + MINUTE_MS);
        const [first, ...more] = await claims.claim(accountId, { now: NOW, until, limit: 10 });
        expect(more).toHaveLength(9);
        if (first === undefined) return;
        expect(await runs.commit(claimedRun(first), { events: [], dueAt: until })).toBe(true);
        await claims.release(more);
      },
    ],
  };
  for (const [what, [most, act]] of Object.entries(bounds)) {
    const operations = await profiled(act);
    expect(operations.length, what).toBeGreaterThan(0);
    for (const operation of operations) {
      const { planSummary, keysExamined = 0, docsExamined = 0, hasSortStage = false } = operation;
      expect(planSummary, what).not.toContain('COLLSCAN');
      expect(hasSortStage && !what.startsWith('partitions'), what).toBe(false);
      expect(keysExamined, what).toBeLessThanOrEqual(most);
      expect(docsExamined, what).toBeLessThanOrEqual(most);
    }
  }
});
