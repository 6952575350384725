import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { createLease } from '@fairlead/service-kit/mongo/lease';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { openThing, sealThing, sealedThings, thingCollection } from './testing/sealed-things.ts';
import { startSealingProcess } from './testing/sealing-processes.ts';
import { dataKeyCollection, mongoDataKeyStore } from './data-keys.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { replacementState, sealingCollections } from './replacement-state.ts';
import { keepReplacingDataKeys } from './replacing.ts';
import { resealCollection } from './resealing.ts';
import { ringKeyEncryption } from './ring-key-encryption.ts';
import { replaceDataKey } from './scope-keys.ts';
import { keyIdOf } from './sealed-value.ts';
import { createSealer } from './sealing.ts';

const RING = `v1:${Buffer.alloc(32, 1).toString('base64')}`;
const SCOPES = ['acc_a', 'acc_b', 'acc_c'];
const WAIT = { timeout: 90_000 };
/** The cache of a sealer is as old after 6 ms as it is in production after a minute. */
const FAST = 10_000;

const encryption = ringKeyEncryption(parseKeyRing(RING));
let mongo: Awaited<ReturnType<typeof testStore>>;
const running: { close(): Promise<void> }[] = [];
beforeEach(async () => {
  mongo = await testStore(inject('mongodbUri'), [...sealingCollections, thingCollection]);
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((work) => work.close()));
  await mongo.drop();
});

const things = () => mongo.collection(thingCollection);
const dataKeys = () => mongo.collection(dataKeyCollection);
const state = () => replacementState(mongo);
const newSealer = () =>
  createSealer({ encryption, store: mongoDataKeyStore(mongo), nowMs: () => performance.now() * FAST });

async function insertThings(count: number): Promise<void> {
  const sealer = newSealer();
  const documents = Array.from({ length: count }, (_, at) =>
    sealThing(sealer, SCOPES[at % SCOPES.length] ?? '', at),
  );
  await things().insertMany(await Promise.all(documents));
}

/** A replica; `pauseMs` after a replacement, nobody seals with a former key any more. */
function startReplica(pauseMs = 50) {
  const { log, lines } = captureLog();
  const work = keepReplacingDataKeys({
    mongo,
    store: mongoDataKeyStore(mongo),
    encryption,
    state: state(),
    sealed: sealedThings,
    lease: createLease(mongo, 'replacement', 30_000),
    log,
    everyMs: 50,
    settleMs: pauseMs,
    graceMs: pauseMs,
    perSecond: 100_000,
  });
  running.push(work);
  return { lines };
}

/** The number of values that each data key has sealed. */
async function valuesByKey(): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { first, inner } of await things().find().toArray())
    for (const text of [first, inner.second])
      if (text !== null) counts.set(keyIdOf(text), (counts.get(keyIdOf(text)) ?? 0) + 1);
  return counts;
}

const keyIds = async () => (await dataKeys().find().toArray()).map(({ keyId }) => keyId);
const isDone = async () => (await state().read())?.phase === 'done';

test('under load, no call fails and nothing is left under a former key', async () => {
  await insertThings(600);
  const before = await keyIds();
  const fingerprint = await newSealer().fingerprint('acc_a', 'text');
  expect(await state().request()).toBe(1);
  const replicas = [startReplica(2_000), startReplica(2_000)];

  // Another process writes and reads all the time.
  const sealer = newSealer();
  let calls = 0;
  for (let number = 10_000; calls <= 100 || !(await isDone()); number += 1) {
    const document = await sealThing(sealer, SCOPES[number % SCOPES.length] ?? '', number);
    await things().insertOne(document);
    const old = await things().findOne({ _id: `thing-${String(number % 600).padStart(6, '0')}` });
    for (const thing of [document, old]) if (thing !== null) await openThing(sealer, thing);
    calls += 1;
  }

  const after = await keyIds();
  expect(new Set([...before, ...after]).size).toBe(6);
  expect([...(await valuesByKey()).keys()].toSorted()).toEqual(after.toSorted());
  expect(await mongoDataKeyStore(mongo).countFormer()).toBe(0);
  const fresh = newSealer();
  for (const thing of await things().find().toArray())
    expect((await openThing(fresh, thing))[0]).toBe(`first of ${thing._id}`);
  expect(await fresh.fingerprint('acc_a', 'text')).toBe(fingerprint);
  expect(await sealer.fingerprint('acc_a', 'text')).toBe(fingerprint);
  const ends = replicas.flatMap(({ lines }) => lines().filter(({ msg }) => msg?.includes('were replaced')));
  expect(ends).toHaveLength(1);
  expect(ends[0]).toMatchObject({ replacement: 1, issued: 3, failed: 0, unreadable: 0 });
});

test('a killed process is followed by one that continues after the last batch', async () => {
  await insertThings(400);
  await state().request();
  // At this rate, the process waits 75 s after a batch of 50 documents, so it is killed after the first batch.
  const database = mongo.db.databaseName;
  const child = startSealingProcess({
    uri: inject('mongodbUri'),
    database,
    sealingKeys: RING,
    perSecond: 1,
  });
  await vi.waitUntil(async () => ((await state().read())?.resealed ?? 0) > 0, WAIT);
  await child.kill();
  expect(await state().read()).toMatchObject({ phase: 'resealing', pass: 1, issued: 3, resealed: 50 });
  startReplica();
  await vi.waitUntil(isDone, WAIT);
  // Documents, not values: each was written once.
  expect(await state().read()).toMatchObject({ resealed: 400, issued: 3, failed: 0 });
  expect([...(await valuesByKey()).keys()].toSorted()).toEqual((await keyIds()).toSorted());
});

test('a value that was written meanwhile stays', async () => {
  await insertThings(10);
  const store = mongoDataKeyStore(mongo);
  await state().request();
  startReplica();
  await vi.waitUntil(isDone, WAIT);
  await Promise.all(running.splice(0).map((work) => work.close()));

  const sealer = newSealer();
  const newer = await sealThing(sealer, 'acc_a', 0);
  // Written between a batch's read and its update: during the unwrapping of its keys.
  const slow: KeyEncryption = {
    ...encryption,
    async unwrap(binding, wrapped) {
      await things().updateOne({ _id: newer._id }, { $set: { first: newer.first } });
      return encryption.unwrap(binding, wrapped);
    },
  };
  const [record] = await store.findMany(['acc_a']);
  if (record === undefined) throw new Error('acc_a has no data key');
  await store.replace(record, await replaceDataKey(encryption, record, 2));
  const [sealed] = sealedThings;
  if (sealed === undefined) throw new Error('nothing is sealed');
  const { log } = captureLog();
  const deps = { mongo, store, encryption: slow, log };
  for await (const batch of resealCollection(deps, sealed, undefined))
    expect(batch).toMatchObject({ examined: 10, resealed: 3 });
  expect((await things().findOne({ _id: newer._id }))?.first).toBe(newer.first);
});

test('a damaged value keeps the former key of its owner, and of nobody else', async () => {
  await insertThings(12);
  const [damaged, foreign] = await things().find().sort({ _id: 1 }).limit(2).toArray();
  if (damaged === undefined || foreign === undefined) throw new Error('nothing was inserted');
  const cut = (text: string) => text.slice(0, -4);
  await things().updateOne({ _id: damaged._id }, [{ $set: { first: cut(damaged.first) } }]);
  await things().updateOne({ _id: foreign._id }, [{ $set: { first: damaged.first } }]);
  await state().request();
  const { lines } = startReplica();
  await vi.waitUntil(isDone, WAIT);
  expect(lines().find(({ level }) => level === 'error')).toMatchObject({ failed: 1, unreadable: 1 });
  const kept = await dataKeys()
    .find({ 'former.id': { $exists: true } })
    .toArray();
  expect(kept.map(({ _id }) => _id)).toEqual([damaged.scope]);
  // Erasing the account later must leave nothing that names it.
  expect(JSON.stringify(await state().read())).not.toContain(damaged.scope);
  const { first: _, ...rest } = damaged;
  const second = await things().findOne({ _id: rest._id });
  expect(second?.inner.second).not.toBe(damaged.inner.second);
});

test('two replicas do everything once; a second replacement waits for the first, and replaces keys again', async () => {
  await insertThings(10);
  expect(await state().request()).toBe(1);
  expect(await state().request()).toBeUndefined();
  startReplica();
  startReplica();
  await vi.waitUntil(isDone, WAIT);
  expect(await state().read()).toMatchObject({ issued: 3, resealed: 10, pass: 2 });
  const between = await keyIds();
  expect(await state().request()).toBe(2);
  await vi.waitUntil(isDone, WAIT);
  const after = await keyIds();
  expect(new Set([...between, ...after]).size).toBe(6);
  expect([...(await valuesByKey()).keys()].toSorted()).toEqual(after.toSorted());
  for (const thing of await things().find().toArray())
    expect((await openThing(newSealer(), thing))[0]).toBe(`first of ${thing._id}`);
});

test('no query of a replacement scans a collection, nor reads more than a batch at a time', async () => {
  await insertThings(300);
  await mongo.db.command({ profile: 2 });
  await state().request();
  startReplica();
  await vi.waitUntil(isDone, WAIT);
  await mongo.db.command({ profile: 0 });
  const names = [dataKeyCollection.name, thingCollection.name].map(
    (name) => `${mongo.db.databaseName}.${name}`,
  );
  const operations = await mongo.db
    .collection('system.profile')
    .find({ ns: { $in: names }, op: { $in: ['query', 'getmore', 'update', 'command'] } })
    .toArray();
  expect(operations.length).toBeGreaterThan(20);
  const plans = operations.map((it) => String(it['planSummary'] ?? ''));
  expect(plans.filter((plan) => plan.includes('COLLSCAN'))).toEqual([]);
  expect(Math.max(...operations.map((it) => Number(it['docsExamined'] ?? 0)))).toBeLessThanOrEqual(51);
});
