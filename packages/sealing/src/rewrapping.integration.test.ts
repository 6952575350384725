import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { createLease } from '@fairlead/service-kit/mongo/lease';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { startKmsPlugin } from './testing/kms-plugin.ts';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { startSealingProcess } from './testing/sealing-processes.ts';
import { dataKeyCollection, mongoDataKeyStore } from './data-keys.ts';
import type { KeyEncryption } from './key-encryption.ts';
import { openKmsKeyEncryption } from './kms-key-encryption.ts';
import { openKeyEncryption } from './open-key-encryption.ts';
import { requireKeysInUse } from './required-keys.ts';
import { keepDataKeysWrapped } from './rewrapping.ts';
import { ringKeyEncryption } from './ring-key-encryption.ts';
import { parseSealingKeys } from './sealing-keys.ts';
import { createSealer } from './sealing.ts';

const base64 = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
const OLD = `v1:${base64(1)}`;
const NEW = `v2:${base64(2)}`;
const BOTH = `${NEW},${OLD}`;
const WAIT = { timeout: 90_000 };

let mongo: Awaited<ReturnType<typeof testStore>>;
const running: { close(): Promise<void> }[] = [];
beforeEach(async () => {
  mongo = await testStore(inject('mongodbUri'), [dataKeyCollection]);
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((work) => work.close()));
  await mongo.drop();
});

const encryptionOf = (ring: string) => ringKeyEncryption(parseKeyRing(ring));
const documents = () => mongo.collection(dataKeyCollection);
const under = (wrappedWith: string) => documents().countDocuments({ wrappedWith });
const binding = (scope: string) => ['test', scope];

/** Creates data keys for that many scopes under the old key, with a sealed value and a fingerprint of each. */
async function sealUnderOld(count: number) {
  const sealer = createSealer({ encryption: encryptionOf(OLD), store: mongoDataKeyStore(mongo) });
  const scopes = Array.from({ length: count }, (_, at) => `acc_${String(at).padStart(5, '0')}`);
  return Promise.all(
    scopes.map(async (scope) => ({
      scope,
      sealed: await sealer.seal(scope, binding(scope), `secret of ${scope}`),
      fingerprint: await sealer.fingerprint(scope, 'text'),
    })),
  );
}

/** A replica that rewraps with the new key and counts the keys that it wraps. */
function startReplica(o: { readonly perSecond?: number; readonly leaseMs?: number } = {}) {
  const ring = encryptionOf(BOTH);
  let wraps = 0;
  const encryption: KeyEncryption = {
    ...ring,
    wrap(binding, key) {
      wraps += 1;
      return ring.wrap(binding, key);
    },
  };
  const captured = captureLog();
  const work = keepDataKeysWrapped({
    store: mongoDataKeyStore(mongo),
    encryption,
    lease: createLease(mongo, 'rewrapping', o.leaseMs ?? 30_000),
    log: captured.log,
    everyMs: 50,
    perSecond: o.perSecond ?? 100_000,
  });
  running.push(work);
  return { work, wraps: () => wraps, lines: captured.lines };
}

test('two replicas rewrap each data key once; every value opens and every fingerprint stays', async () => {
  const sealed = await sealUnderOld(400);
  const replicas = [startReplica(), startReplica()];
  await vi.waitUntil(async () => (await under('v1')) === 0, WAIT);
  await Promise.all(replicas.map(({ work }) => work.close()));
  expect(replicas.reduce((sum, replica) => sum + replica.wraps(), 0)).toBe(400);
  const after = createSealer({ encryption: encryptionOf(NEW), store: mongoDataKeyStore(mongo) });
  for (const { scope, sealed: value, fingerprint } of sealed) {
    expect((await after.open(scope, binding(scope), value)).reveal()).toBe(`secret of ${scope}`);
    expect(await after.fingerprint(scope, 'text')).toBe(fingerprint);
  }
});

test('what a killed process has not rewrapped, the next one does', async () => {
  await sealUnderOld(400);
  // A batch of 50 every 50 s.
  const child = startSealingProcess({
    uri: inject('mongodbUri'),
    database: mongo.db.databaseName,
    sealingKeys: BOTH,
    perSecond: 1,
  });
  await vi.waitUntil(async () => (await under('v2')) > 0, WAIT);
  await child.kill();
  const left = await under('v1');
  expect(left).toBeGreaterThan(0);
  const next = startReplica();
  await vi.waitUntil(async () => (await under('v1')) === 0, WAIT);
  // The store may still apply writes that the killed process had sent.
  expect(next.wraps()).toBeGreaterThan(0);
  expect(next.wraps()).toBeLessThanOrEqual(left);
});

test('data keys move from a key ring to a key management service, and follow the rotation of its key', async () => {
  const sealed = await sealUnderOld(60);
  const plugin = await startKmsPlugin();
  const { log, lines } = captureLog();
  const both = await openKeyEncryption(parseSealingKeys(`kms:${plugin.socketPath},${OLD}`), log);
  const kms = await openKmsKeyEncryption({ socketPath: plugin.socketPath, log, statusEveryMs: 50 });
  const start = (encryption: KeyEncryption) => {
    const work = keepDataKeysWrapped({
      store: mongoDataKeyStore(mongo),
      encryption,
      lease: createLease(mongo, 'rewrapping', 30_000),
      log,
      everyMs: 50,
    });
    running.push(work);
    return work;
  };
  const work = start(both);
  await vi.waitUntil(async () => (await under('kms:key-1')) === 60, WAIT);
  await work.close();
  // From here on without the key ring.
  await requireKeysInUse(mongoDataKeyStore(mongo), kms);
  start(kms);
  await plugin.stop();
  plugin.rotate();
  await vi.waitUntil(() => lines().some(({ msg }) => msg?.startsWith('background work failed')), WAIT);
  await plugin.start();
  await vi.waitUntil(async () => (await under('kms:key-2')) === 60, WAIT);
  const sealer = createSealer({ encryption: kms, store: mongoDataKeyStore(mongo) });
  for (const { scope, sealed: value } of sealed)
    expect((await sealer.open(scope, binding(scope), value)).reveal()).toBe(`secret of ${scope}`);
  await Promise.all(running.splice(0).map((one) => one.close()));
  await Promise.all([both.close(), kms.close()]);
  await plugin.close();
});

test('the rate is bounded: after its share of a second a replica rests', async () => {
  await sealUnderOld(120);
  const { work } = startReplica({ perSecond: 1 });
  await vi.waitUntil(async () => (await under('v2')) > 0, WAIT);
  await work.close();
  expect(await under('v2')).toBe(50);
});

test('a data key that does not open stays and is logged; the others are rewrapped', async () => {
  await sealUnderOld(120);
  await documents().updateOne({ _id: 'acc_00007' }, { $set: { wrapped: 'damaged' } });
  const { lines } = startReplica();
  await vi.waitUntil(() => lines().some(({ msg }) => msg?.includes('could not be rewrapped')), WAIT);
  expect(lines().find(({ level }) => level === 'error')).toMatchObject({
    rewrapped: 119,
    failed: 1,
    outdated: 1,
    wrapsWith: 'v2',
  });
});

test('the queries of a rewrapper read no more of the index and the documents than they return', async () => {
  await sealUnderOld(300);
  const plan = await documents()
    .find({ wrappedWith: 'v1', _id: { $gt: 'acc_00100' } })
    .sort({ _id: 1 })
    .limit(50)
    .explain('executionStats');
  expect(plan['executionStats']).toMatchObject({ totalKeysExamined: 50, totalDocsExamined: 50 });
  const distinct: unknown = await mongo.db.command({
    explain: { distinct: dataKeyCollection.name, key: 'wrappedWith', query: {} },
  });
  expect(JSON.stringify(distinct)).toContain('DISTINCT_SCAN');
});
