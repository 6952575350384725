import { randomBytes } from 'node:crypto';
import { AuditActorKind } from '@fairlead/contracts/common/v1/audit_events_pb';
import { auditEventRecorded, recordAuditEvent } from '@fairlead/service-kit/changes/audit-events';
import { createChangeLog } from '@fairlead/service-kit/changes/change-log';
import type { ChangeLog } from '@fairlead/service-kit/changes/change-log';
import { systemClock } from '@fairlead/service-kit/clock';
import { prefixedId } from '@fairlead/service-kit/ids';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { decodeEvent } from '@fairlead/service-kit/nats/events';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { Secret } from '@fairlead/service-kit/secret';
import { ringKeyEncryption } from '@fairlead/sealing/ring-key-encryption';
import { mongoDataKeyStore } from '@fairlead/sealing/data-keys';
import { createSealer } from '@fairlead/sealing/sealing';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { platformContext } from '@fairlead/service-kit/testing/account-data';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { NewTrigger, TriggerChange, TriggerStore } from '../ports/trigger-store.ts';
import { TRIGGER_LIMITS } from '../domain/trigger.ts';
import type { Trigger } from '../domain/trigger.ts';
import { trigger } from '../testing/triggers.ts';
import { createAccountData } from './account-data.ts';
import { schema } from './schema.ts';
import { DUE_PATH, triggerCollection } from './trigger.collection.ts';
import type { TriggerDocument } from './trigger.collection.ts';
import { createTriggerRepository, hookTokenHash } from './trigger.repository.ts';

const NOW = new Date('2026-11-22T10:00:00.000Z');
const LATER = new Date('2026-11-22T11:00:00.000Z');
const ctx = testContext();
let store: MongoStore & { drop(): Promise<void> };
let sealer: ReturnType<typeof createSealer>;
let triggers: TriggerStore;
let changeLog: ChangeLog;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
  const encryption = ringKeyEncryption(parseKeyRing(`v1:${randomBytes(32).toString('base64')}`));
  sealer = createSealer({ encryption, store: mongoDataKeyStore(store) });
  changeLog = createChangeLog({ store, clock: systemClock });
  triggers = createTriggerRepository(store, sealer, (session, action) =>
    recordAuditEvent(changeLog, session, action),
  );
});
afterAll(() => store.drop());

let accounts = 0;
const newAccount = (): string => `acc_${(accounts += 1)}`;

function newTrigger(members: Partial<NewTrigger> = {}): NewTrigger {
  // Members without a value in a new trigger are not written.
  const content: Partial<Trigger> = trigger({ createdAt: NOW });
  for (const name of ['generation', 'lastFiredAt', 'lastError', 'gaps', 'updatedAt'] as const)
    Reflect.deleteProperty(content, name);
  return {
    ...(content as Omit<NewTrigger, 'dueAt' | 'poll'>),
    id: prefixedId('trg'),
    dueAt: null,
    poll: null,
    ...members,
  };
}

test('a trigger is read as it was written, by its account only', async () => {
  const [mine, other] = [newAccount(), newAccount()];
  const written = newTrigger({ configuration: LazyJson.of({ $a: 1, 'b.c': [null] }), filter: 'a = 1' });
  const { dueAt: _due, poll: _poll, ...content } = written;
  const stored = { ...content, generation: 1, lastFiredAt: null, lastError: null, gaps: [], updatedAt: NOW };
  expect(await triggers.insert(ctx, mine, written)).toEqual(stored);
  expect(await triggers.find(ctx, mine, written.id)).toEqual(stored);
  expect(await triggers.list(ctx, mine, { offset: 0, top: 10 })).toEqual({ items: [stored], totalCount: 1 });
  const at = { id: written.id, generation: 1 };
  expect(await triggers.find(ctx, other, written.id)).toBeUndefined();
  expect(await triggers.update(ctx, other, at, { name: 'Theirs' }, LATER)).toBeUndefined();
  expect(await triggers.delete(ctx, other, written.id)).toBe(false);
  expect(await triggers.delete(ctx, mine, written.id)).toBe(true);
  expect(await triggers.find(ctx, mine, written.id)).toBeUndefined();
});

test('the token of an address is sealed; it is found by its digest and read by its account', async () => {
  const accountId = newAccount();
  const token = 'a-token-that-nobody-else-knows';
  const { id } = await triggers.insert(ctx, accountId, newTrigger({ hookToken: new Secret(token) }));
  expect((await triggers.find(ctx, accountId, id))?.hookToken?.reveal()).toBe(token);
  const { items } = await triggers.list(ctx, accountId, { offset: 0, top: 1 });
  expect(items[0]?.hookToken?.reveal()).toBe(token);
  const document = await store.collection(triggerCollection).findOne({ accountId, _id: id });
  expect(document?.hook?.tokenHash).toBe(hookTokenHash(token));
  expect(JSON.stringify(document)).not.toContain(token);
});

test('a change raises the generation, and one that was made for an earlier generation writes nothing', async () => {
  const accountId = newAccount();
  const { id } = await triggers.insert(ctx, accountId, newTrigger({ dueAt: NOW }));
  const change = { name: 'New', isEnabled: false, enabledAt: null, dueAt: null };
  expect(await triggers.update(ctx, accountId, { id, generation: 1 }, change, LATER)).toMatchObject({
    name: 'New',
    generation: 2,
    enabledAt: null,
    updatedAt: LATER,
  });
  expect((await store.collection(triggerCollection).findOne({ accountId, _id: id }))?.due).toBeNull();
  const late = await triggers.update(ctx, accountId, { id, generation: 1 }, { name: 'Late' }, LATER);
  expect(late).toBeUndefined();
  expect((await triggers.find(ctx, accountId, id))?.name).toBe('New');
});

test.each([
  [-10, 10, -10],
  [60, 10, 10],
  [10, 60, 10],
])('one due in %i s that is to run within %i s runs in %i s', async (dueIn, within, expected) => {
  const inSeconds = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1_000);
  const accountId = newAccount();
  const { id } = await triggers.insert(ctx, accountId, newTrigger({ dueAt: inSeconds(dueIn) }));
  await triggers.update(ctx, accountId, { id, generation: 1 }, { dueBy: inSeconds(within) }, NOW);
  const document = await store.collection(triggerCollection).findOne({ accountId, _id: id });
  expect(document?.due).toMatchObject({ at: inSeconds(expected), claim: null });
});

test('a change of the pace during a run takes nothing from its claim, nor the time at which it was due', async () => {
  const accountId = newAccount();
  const { id } = await triggers.insert(ctx, accountId, newTrigger({ dueAt: NOW }));
  const claims = createClaims(store, triggerCollection, DUE_PATH);
  const [claimed] = await claims.claim(accountId, { now: NOW, until: LATER, limit: 1 });
  if (claimed === undefined) throw new Error('nothing is due');
  const dueBy = new Date(NOW.getTime() + 10_000);
  await triggers.update(ctx, accountId, { id, generation: 1 }, { dueBy }, NOW);
  expect(await claims.settle(claimed, { at: claimed.since })).toBe(true);
  const document = await store.collection(triggerCollection).findOne({ accountId, _id: id });
  expect(document?.due).toMatchObject({ at: NOW, claim: null });
});

test('only enabled triggers use a connection; without it they are disabled, with the reason', async () => {
  const [mine, other] = [newAccount(), newAccount()];
  const insert = async (accountId: string, members: Partial<NewTrigger>): Promise<string> =>
    (await triggers.insert(ctx, accountId, newTrigger(members))).id;
  const used = await insert(mine, { connectionId: 5, dueAt: NOW });
  const disabled = await insert(mine, { connectionId: 5, isEnabled: false });
  const different = await insert(mine, { connectionId: 6 });
  const theirs = await insert(other, { connectionId: 5 });
  expect(await triggers.listUses(ctx, mine, 5, 10)).toEqual([used]);
  await triggers.disableUses(ctx, mine, [5], 'It is gone.', LATER);
  expect(await triggers.listUses(ctx, mine, 5, 10)).toEqual([]);
  expect(await triggers.find(ctx, mine, used)).toMatchObject({
    isEnabled: false,
    enabledAt: null,
    lastError: 'It is gone.',
    generation: 2,
    connectionId: 5,
  });
  expect((await triggers.find(ctx, mine, disabled))?.lastError).toBeNull();
  expect((await triggers.find(ctx, mine, different))?.isEnabled).toBe(true);
  expect(await triggers.listUses(ctx, other, 5, 10)).toEqual([theirs]);
});

test('what happens to triggers because of a connection or destination is recorded, once for each of them', async () => {
  const accountId = newAccount();
  const made = await Promise.all(
    [1, 2].map(() =>
      triggers.insert(ctx, accountId, newTrigger({ connectionId: 5, destinationIds: ['dst_1', 'dst_2'] })),
    ),
  );
  const now = new Date();
  const system = testContext({ caller: { kind: 'service', service: 'triggers' } });
  for (let times = 0; times < 2; times += 1) {
    await triggers.disableUses(system, accountId, [5, 6], 'It is gone.', now);
    await triggers.removeDestinations(ctx, accountId, ['dst_2'], now);
  }
  const { changes } = await changeLog.read(platformContext, '', 100);
  const recorded = changes
    .filter((change) => change.accountId === accountId)
    .map(({ payload }) => {
      const { action, resourceId, actorKind, detailsJson } = decodeEvent(auditEventRecorded, payload);
      const details: unknown = JSON.parse(Buffer.from(detailsJson).toString());
      return [action, resourceId, actorKind, details];
    });
  const { SYSTEM, USER } = AuditActorKind;
  expect(recorded).toHaveLength(4);
  expect(recorded).toEqual(
    expect.arrayContaining(
      made.flatMap(({ id }) => [
        ['trigger.disabled', id, SYSTEM, { reason: 'It is gone.' }],
        ['trigger.destinationsRemoved', id, USER, { destinationIds: ['dst_2'] }],
      ]),
    ),
  );
});

interface ProfileEntry {
  readonly planSummary?: string;
  readonly docsExamined?: number;
  readonly hasSortStage?: boolean;
}

test('with very many triggers, the first page and every use read an index only', async () => {
  const accountId = newAccount();
  const COUNT = 1_500;
  const documents = Array.from({ length: COUNT }, (_, index) => {
    const {
      id: _id,
      configuration,
      hookToken: _none,
      ...same
    } = trigger({
      id: prefixedId('trg'),
      connectionId: index,
      createdAt: new Date(NOW.getTime() + index),
    });
    return { ...same, _id, accountId, configuration: configuration.text, due: null };
  });
  await store.collection(triggerCollection).insertMany(documents);
  const { db } = store;
  await db.command({ profile: 2 });
  const { items, totalCount } = await triggers.list(ctx, accountId, { offset: 0, top: 5 });
  await triggers.count(ctx, accountId, 100);
  await triggers.find(ctx, accountId, items[0]?.id ?? '');
  await triggers.listUses(ctx, accountId, 17, 10);
  await triggers.disableUses(ctx, accountId, [17], 'Gone.', NOW);
  await db.command({ profile: 0 });
  expect([items.length, totalCount]).toEqual([5, COUNT]);
  const executed = await db
    .collection<ProfileEntry>('system.profile')
    .find({ planSummary: { $exists: true } })
    .toArray();
  expect(executed.length).toBeGreaterThanOrEqual(6);
  const reading = executed.filter(
    ({ planSummary = '', docsExamined = 0, hasSortStage = false }) =>
      planSummary.includes('COLLSCAN') || hasSortStage || docsExamined > 5,
  );
  expect(reading).toEqual([]);
});

test('an account gets its triggers without tokens; once erased, nothing of it is left', async () => {
  const accountId = newAccount();
  const { id } = await triggers.insert(ctx, accountId, newTrigger({ hookToken: new Secret('t'.repeat(32)) }));
  const data = createAccountData(store, sealer, { end: () => Promise.resolve(true) });
  const records: unknown[] = [];
  for (const each of data.exports)
    for await (const { record } of each.read(ctx, accountId, undefined)) records.push(record);
  expect(records).toMatchObject([{ id, name: 'Things', configuration: {} }]);
  expect(JSON.stringify(records)).not.toContain('oken');
  expect(await data.erase(ctx, accountId)).toBe(true);
  expect(await store.collection(triggerCollection).countDocuments({ accountId })).toBe(0);
});

test('what a poll has filtered is filtered again by another filter, from the same cursor; other changes leave it', async () => {
  const accountId = newAccount();
  const cursor = { since: null, known: ['a@1'] };
  const poll = { cursor, failures: 1, filtered: ['b@2'] };
  const { id } = await triggers.insert(ctx, accountId, newTrigger({ dueAt: NOW, poll }));
  const pollAfter = async (generation: number, change: TriggerChange): Promise<unknown> => {
    await triggers.update(ctx, accountId, { id, generation }, change, LATER);
    return (await store.collection(triggerCollection).findOne({ accountId, _id: id }))?.poll;
  };
  expect(await pollAfter(1, { name: 'New' })).toEqual(poll);
  expect(await pollAfter(2, { filter: 'a = 2' })).toEqual({ cursor, failures: 1 });
  const seeded = { cursor: { since: null, known: [] }, failures: 0 };
  expect(await pollAfter(3, { filter: null, poll: seeded })).toEqual(seeded);
  expect(await pollAfter(4, { poll: null })).toBeNull();
  expect(await pollAfter(5, { filter: 'a = 3' })).toBeNull();
});

test('an account has at most 1 000, however many are created at the same time', async () => {
  const accountId = newAccount();
  const { id } = await triggers.insert(ctx, accountId, newTrigger());
  const collection = store.collection(triggerCollection);
  const one = await collection.findOne({ _id: id });
  const copies = Array.from({ length: TRIGGER_LIMITS.perAccount - 3 }, () => ({
    ...one,
    _id: prefixedId('trg'),
  }));
  // Copies of stored triggers.
  await collection.insertMany(copies as TriggerDocument[]);
  const insert = () => triggers.insert(ctx, accountId, newTrigger());
  const results = await Promise.allSettled(Array.from({ length: 8 }, insert));
  const refused = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  );
  expect(refused).toHaveLength(6);
  for (const reason of refused) expect(reason).toMatchObject({ code: 'CONFLICT' });
  await triggers.delete(ctx, accountId, id);
  await insert();
});
