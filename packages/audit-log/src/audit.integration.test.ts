import { ManualClock } from '@fairlead/service-kit/clock';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { createLease } from '@fairlead/service-kit/mongo/lease';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testContext } from '@fairlead/service-kit/testing/context';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { EMPTY_CHAIN } from './domain/chain.ts';
import { PLATFORM_LOG } from './domain/entry.ts';
import type { AuditEvent } from './domain/event.ts';
import { startAuditChaining } from './audit-chaining.ts';
import { createAuditTrail } from './audit-trail.ts';
import { auditData } from './storage/account-data.ts';
import { auditBatchCollection, auditChainCollection } from './storage/audit-chain.collection.ts';
import { auditEntryCollection } from './storage/audit-entry.collection.ts';
import { auditCollections, auditRepository, listQuery } from './storage/audit.repository.ts';
import type { AuditFilter, AuditStore } from './ports/audit-store.ts';
import { chainEntries } from './use-cases/chain-entries.ts';
import { createAuditLog } from './use-cases/record-event.ts';
import { sealWithoutKey, testKeys } from './testing/chains.ts';
import type { ChainKeys } from './domain/batch.ts';

// The real time, because TTL indexes use the server's clock.
const NOW = new Date();
const DAY = 24 * 60 * 60_000;
const ctx = testContext();
const keys = testKeys(1);
const silent = createLogger({ service: 'test', level: 'silent' });
const everything = { offset: 0, top: 100 };

let store: MongoStore & { drop(): Promise<void> };
let entries: AuditStore;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), auditCollections);
  entries = auditRepository(store);
});
afterAll(() => store.drop());

const whole = { fault: undefined, missingKeyId: undefined, keylessEntryCount: 0, unchainedCount: 0 };

let accounts = 0;

/** The audit log of a fresh account, or of the given one. */
function auditOf(o: { readonly accountId?: string; readonly keys?: ChainKeys } = {}) {
  const accountId = o.accountId ?? `acc_${(accounts += 1)}`;
  const clock = new ManualClock(NOW);
  const { log, lines } = captureLog();
  const audit = createAuditLog({
    store: entries,
    findOpenAccounts: (ids) => Promise.resolve(new Set(ids)),
    fingerprint: (_account, secret) => Promise.resolve(secret),
    clock,
    retentionMs: 400 * DAY,
  });
  const trail = createAuditTrail({
    store: entries,
    findUserNames: (_account, userIds) =>
      Promise.resolve(new Map(userIds.includes('usr_1') ? [['usr_1', 'Mara']] : [])),
    keys: o.keys ?? keys,
    keyedSince: undefined,
    clock,
  });
  const lease = createLease(store, accountId, 10_000);
  return {
    accountId,
    clock,
    lines,
    record: (o: Partial<AuditEvent> = {}) =>
      audit.record({
        accountId,
        actor: { kind: 'user', userId: 'usr_1' },
        action: 'createConnection',
        outcome: 'succeeded',
        requestId: 'req-1',
        ...o,
      }),
    chain: () => chainEntries({ store: entries, lease, keys, clock, log }, new AbortController().signal),
    verify: () => trail.verify(ctx, accountId),
    list: (filter: AuditFilter = {}, page = everything) => trail.list(ctx, accountId, { filter, page }),
  };
}

describe('the list', () => {
  test('is newest first, filtered by time, user, kind of actor and action, with the names of users', async () => {
    const { record, list, clock } = auditOf();
    await record();
    clock.advance(1_000);
    await record({ actor: { kind: 'operator' }, action: 'updateAccount' });
    clock.advance(1_000);
    await record({ actor: { kind: 'user', userId: 'usr_gone' }, details: { 'a.$b': null } });
    const shown = async (filter: AuditFilter) =>
      (await list(filter)).items.map(({ actor, userName }) => [actor.userId ?? actor.kind, userName]);
    const [first, second, third] = [
      ['usr_1', 'Mara'],
      ['operator', null],
      ['usr_gone', null],
    ];
    expect(await shown({})).toEqual([third, second, first]);
    expect(await shown({ actor: 'operator' })).toEqual([second]);
    expect(await shown({ actor: 'usr_1' })).toEqual([first]);
    expect(await shown({ actor: 'user' })).toEqual([]);
    expect(await shown({ action: 'createConnection' })).toEqual([third, first]);
    expect(await shown({ from: new Date(NOW.getTime() + 1_000) })).toEqual([third, second]);
    expect(await shown({ to: new Date(NOW.getTime() + 1_000) })).toEqual([first]);
    expect((await list({}, { offset: 1, top: 1 })).totalCount).toBe(3);
    expect((await list()).items[0]?.details).toBe('{"a.$b":null}');
  });

  test.each<[string, AuditFilter]>([
    ['nothing', {}],
    ['a user', { actor: 'usr_1' }],
    ['the operator', { actor: 'operator', from: NOW }],
    ['an action', { action: 'a', to: NOW }],
    ['everything', { action: 'a', actor: 'usr_1', from: NOW, to: NOW }],
  ])('filtered by %s reads an index and sorts nothing', async (_name, filter) => {
    const plan = await store
      .collection(auditEntryCollection)
      .find(listQuery('acc_1', filter))
      .sort({ createdAt: -1, _id: -1 })
      .explain('queryPlanner');
    const stages = JSON.stringify((plan['queryPlanner'] as { winningPlan: unknown }).winningPlan);
    expect(stages).toContain('"IXSCAN"');
    expect(stages).not.toMatch(/COLLSCAN|"SORT"/);
  });
});

describe('chaining', () => {
  test('puts every entry into a batch, in order, linked to the one before, and writes the hash to the log', async () => {
    const { accountId, record, chain, verify, lines } = auditOf();
    await record();
    await record();
    await chain();
    await record();
    await chain();
    await chain();
    const batches = await store.collection(auditBatchCollection).find({ accountId }).toArray();
    expect(batches).toMatchObject([
      { sequence: 1, count: 2, previousHash: '' },
      { sequence: 2, count: 1, previousHash: batches[0]?.hash },
    ]);
    expect(await verify()).toEqual({ ...whole, batchCount: 2, entryCount: 3 });
    expect(lines().filter((line) => line['accountId'] === accountId)).toMatchObject(
      batches.map(({ sequence, hash }) => ({ msg: 'audit batch sealed', sequence, hash })),
    );
  });

  test('chains an entry that comes late with an older time', async () => {
    const { record, chain, verify, clock } = auditOf();
    clock.advance(60_000);
    await record();
    await chain();
    clock.advance(-60_000);
    await record();
    expect((await verify()).unchainedCount).toBe(1);
    await chain();
    expect(await verify()).toEqual({ ...whole, batchCount: 2, entryCount: 2 });
  });

  test('makes one chain, whole, when replicas record and chain at the same time', async () => {
    const mine = auditOf();
    const chainAs = (name: string) =>
      chainEntries(
        { store: entries, lease: createLease(store, name, 10_000), keys, clock: mine.clock, log: silent },
        new AbortController().signal,
      );
    await Promise.all(
      ['a', 'b', 'c'].map(async (replica) => {
        for (let round = 0; round < 10; round += 1) {
          await Promise.all([mine.record(), mine.record()]);
          await chainAs(`${mine.accountId}-${replica}`);
        }
      }),
    );
    await mine.chain();
    expect(await mine.verify()).toMatchObject({ fault: undefined, entryCount: 60, unchainedCount: 0 });
  });

  test('is done by the replica with the lease, and by another once that one is closed', async () => {
    const { record, verify, clock } = auditOf();
    const start = () => startAuditChaining({ store, entries, keys, clock, log: silent });
    const [first, second] = [start(), start()];
    await record();
    await vi.waitFor(async () => expect((await verify()).unchainedCount).toBe(0), { timeout: 90_000 });
    await first.close();
    await record();
    await vi.waitFor(async () => expect((await verify()).unchainedCount).toBe(0), { timeout: 90_000 });
    await second.close();
  });

  test('looks entries up by an index that holds only those that are in no batch', async () => {
    const plan = await store
      .collection(auditEntryCollection)
      .find({ accountId: 'acc_1', batch: 0 })
      .sort({ createdAt: 1, _id: 1 })
      .explain('queryPlanner');
    const stages = JSON.stringify((plan['queryPlanner'] as { winningPlan: unknown }).winningPlan);
    expect(stages).toContain('"indexName":"unchained"');
    expect(stages).not.toMatch(/COLLSCAN|"SORT"/);
  });
});

describe('verification names the first batch that was tampered with', () => {
  /** Three batches of two entries each. */
  async function readChain() {
    const audit = auditOf();
    for (let batch = 0; batch < 3; batch += 1) {
      await audit.record({ requestId: `req-${batch}-0` });
      await audit.record({ requestId: `req-${batch}-1` });
      await audit.chain();
    }
    const { accountId } = audit;
    const found = await store.collection(auditEntryCollection).find({ accountId, batch: 2 }).toArray();
    return { ...audit, ids: found.toSorted((a, b) => a.position - b.position).map(({ _id }) => _id) };
  }
  const stored = () => store.collection(auditEntryCollection);
  const sealed = () => store.collection(auditBatchCollection);

  test.each<[string, (o: Awaited<ReturnType<typeof readChain>>) => Promise<unknown>]>([
    [
      'an entry was changed',
      ({ ids }) => stored().updateOne({ _id: ids[0] ?? '' }, { $set: { 'actor.userId': 'usr_2' } }),
    ],
    ['an entry was deleted', ({ ids }) => stored().deleteOne({ _id: ids[1] ?? '' })],
    [
      'an entry was inserted',
      async ({ ids }) => {
        const copy = await stored().findOne({ _id: ids[1] ?? '' });
        if (copy !== null) await stored().insertOne({ ...copy, _id: 'aud_more', position: 2 });
      },
    ],
    [
      'two entries changed places',
      async ({ ids }) => {
        await stored().updateOne({ _id: ids[0] ?? '' }, { $set: { position: 1 } });
        await stored().updateOne({ _id: ids[1] ?? '' }, { $set: { position: 0 } });
      },
    ],
    [
      'an entry was moved to a later batch',
      ({ ids }) => stored().updateOne({ _id: ids[1] ?? '' }, { $set: { batch: 3 } }),
    ],
    [
      'an entry was taken out of the chain',
      ({ ids }) => stored().updateOne({ _id: ids[1] ?? '' }, { $set: { batch: 0 } }),
    ],
    ['a batch was deleted', ({ accountId }) => sealed().deleteOne({ accountId, sequence: 2 })],
    [
      'a batch was changed',
      ({ accountId }) => sealed().updateOne({ accountId, sequence: 2 }, { $set: { count: 1 } }),
    ],
  ])('%s', async (_what, tamper) => {
    const log = await readChain();
    expect(await log.verify()).toMatchObject({ fault: undefined, batchCount: 3 });
    await tamper(log);
    expect(await log.verify()).toMatchObject({
      fault: { sequence: 2, problem: expect.any(String) as unknown },
      batchCount: 1,
    });
    await stored().deleteMany({ _id: 'aud_more' });
  });

  test('the end was cut off', async () => {
    const { accountId, verify } = await readChain();
    await stored().deleteMany({ accountId, batch: 3 });
    await sealed().deleteOne({ accountId, sequence: 3 });
    expect((await verify()).fault).toMatchObject({ sequence: 3, problem: 'The batch is missing.' });
  });

  test('everything was deleted but the end of the chain', async () => {
    const { accountId, verify } = await readChain();
    await stored().deleteMany({ accountId });
    await sealed().deleteMany({ accountId });
    expect((await verify()).fault).toMatchObject({ sequence: 3, problem: 'The batch is missing.' });
  });

  test('entries claim a batch that never was', async () => {
    const { accountId, ids, verify } = await readChain();
    const copy = await stored().findOne({ _id: ids[1] ?? '' });
    if (copy !== null) await stored().insertOne({ ...copy, _id: `aud_forged_${accountId}`, batch: 9 });
    expect((await verify()).fault?.sequence).toBe(9);
  });

  test('the end of the chain was taken away', async () => {
    const { accountId, verify } = await readChain();
    await store.collection(auditChainCollection).deleteOne({ _id: accountId });
    expect((await verify()).fault).toBeDefined();
  });

  test('but nothing that only its time has ended', async () => {
    const { accountId, verify, record, chain, clock } = await readChain();
    clock.advance(399 * DAY);
    await record();
    await chain();
    clock.advance(2 * DAY);
    // Does what the TTL indexes would do.
    await stored().deleteMany({ accountId, expiresAt: { $lt: clock.now() } });
    expect(await verify()).toMatchObject({ fault: undefined, entryCount: 1 });
    await sealed().deleteMany({ accountId, keptUntil: { $lt: clock.now() } });
    expect(await verify()).toMatchObject({ fault: undefined, entryCount: 1 });
    await record();
    await chain();
    expect(await verify()).toMatchObject({ fault: undefined, batchCount: 2, entryCount: 2 });
  });
});

describe('keys', () => {
  test('verification needs the key of each batch, and says which one it lacks', async () => {
    const mine = auditOf();
    await mine.record();
    await mine.chain();
    const { accountId } = mine;
    const found = await auditOf({ accountId, keys: testKeys(2) }).verify();
    expect(found).toMatchObject({ fault: undefined, missingKeyId: 'v1', batchCount: 0 });
    expect(await auditOf({ accountId, keys: testKeys(2, 1) }).verify()).toMatchObject({ batchCount: 1 });
  });

  test('a log whose first batches have none goes on with one that commits to them', async () => {
    const { accountId, record, chain, verify } = auditOf();
    await record();
    await entries.chain(accountId, 10, (head, of) => ({
      ...sealWithoutKey(head, of, NOW),
      // The driver omits members that are undefined.
      keyId: undefined as never,
      entries: undefined as never,
    }));
    await record();
    await chain();
    expect(await verify()).toEqual({ ...whole, batchCount: 2, entryCount: 2, keylessEntryCount: 1 });
    // The prefix of the batches can no longer be changed unnoticed either.
    const [entry] = await store.collection(auditEntryCollection).find({ accountId, batch: 1 }).toArray();
    if (entry === undefined) throw new Error('The entry is missing.');
    const { _id: id, batch: _batch, position: _position, ...members } = entry;
    const forged = sealWithoutKey(EMPTY_CHAIN, [{ id, ...members, outcome: 'failed' }], NOW);
    await store.collection(auditEntryCollection).updateOne({ _id: id }, { $set: { outcome: 'failed' } });
    await store.collection(auditBatchCollection).replaceOne({ accountId, sequence: 1 }, forged);
    expect((await verify()).fault).toMatchObject({ sequence: 2, from: { afterEntryId: id } });
  });

  test('the platform’s own log is verified in the same way', async () => {
    const { record, chain, verify } = auditOf({ accountId: PLATFORM_LOG });
    await record({ requestId: 'req-1' });
    await record({ requestId: 'req-2' });
    await chain();
    expect(await verify()).toMatchObject({ fault: undefined, unchainedCount: 0 });
    const stored = store.collection(auditEntryCollection);
    const changed = await stored.findOneAndUpdate(
      { accountId: PLATFORM_LOG, requestId: 'req-2' },
      { $set: { requestId: 'req-3' } },
    );
    expect((await verify()).fault?.from.entryId).toBe(changed?._id);
  });

  test('verification reads entries by an index, in its order', async () => {
    const plan = await store
      .collection(auditEntryCollection)
      .find({ accountId: 'acc_1', batch: { $ne: 0 } })
      .sort({ batch: 1, position: 1 })
      .explain('queryPlanner');
    const stages = JSON.stringify((plan['queryPlanner'] as { winningPlan: unknown }).winningPlan);
    expect(stages).toContain('"indexName":"of_a_batch"');
    expect(stages).not.toMatch(/COLLSCAN|"SORT"/);
  });
});

test('erasing a log takes entries, batches and the end of the chain, of that account only', async () => {
  const [mine, other] = [auditOf(), auditOf()];
  for (const audit of [mine, other]) {
    await audit.record();
    await audit.chain();
    await audit.record();
  }
  const data = auditData(store);
  expect(await data.erase(ctx, mine.accountId)).toBe(true);
  expect(await data.erase(ctx, mine.accountId)).toBe(true);
  const { accountId } = mine;
  expect([
    await store.collection(auditEntryCollection).countDocuments({ accountId }),
    await store.collection(auditBatchCollection).countDocuments({ accountId }),
    await store.collection(auditChainCollection).countDocuments({ _id: accountId }),
  ]).toEqual([0, 0, 0]);
  expect(await other.verify()).toMatchObject({ batchCount: 1, unchainedCount: 1 });
});

test('indexes are as declared', async () => {
  for (const { name, indexes } of auditCollections) {
    const actual = await store.db.collection(name).indexes();
    expect(new Set(actual.map((index) => index.name))).toEqual(
      new Set(['_id_', ...indexes.map((index) => index.name)]),
    );
  }
});
