import { ManualClock } from '@fairlead/service-kit/clock';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { dataKeyCollection, mongoDataKeyStore } from '@fairlead/sealing/data-keys';
import { ringKeyEncryption } from '@fairlead/sealing/ring-key-encryption';
import { createSealer } from '@fairlead/sealing/sealing';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { signingKeyCollection } from '../../storage/signing-key.collection.ts';
import { PUBLISH_AHEAD_MS, RETIRE_AFTER_MS } from './key-set.ts';
import { openSigningKeys } from './signing-keys.ts';
import type { SigningKeys } from './signing-keys.ts';

const DAY_MS = 24 * 60 * 60_000;
const collections = [signingKeyCollection, dataKeyCollection];
let store: Awaited<ReturnType<typeof testStore>>;
let clock: ManualClock;
let opened: SigningKeys[];

beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), collections);
});
afterAll(() => store.drop());
beforeEach(async () => {
  for (const { name } of collections) await store.db.collection(name).deleteMany({});
  clock = new ManualClock(new Date());
  opened = [];
});
afterEach(async () => {
  for (const keys of opened) await keys.close();
});

/** A store whose second read of signing keys, the first one in the background, blocks until the test releases it. */
function storeWithHeldRead(): { readonly store: MongoStore; readonly release: () => void } {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let reads = 0;
  const collection: typeof store.collection = (definition) => {
    const real = store.collection(definition);
    const findNow = real.find.bind(real);
    const find = (...given: Parameters<typeof findNow>) => {
      const cursor = findNow(...given);
      const toArray = cursor.toArray.bind(cursor);
      reads += 1;
      if (reads === 2) cursor.toArray = () => toArray().then((found) => held.then(() => found));
      return cursor;
    };
    // Only one overload of the method is called.
    return Object.assign(real, { find: find as typeof real.find });
  };
  return { store: { ...store, collection }, release };
}

async function open(rotationDays = 90, of: MongoStore = store): Promise<SigningKeys> {
  const keyRing = parseKeyRing(`v1:${Buffer.alloc(32, 5).toString('base64')}`);
  const keys = await openSigningKeys({
    store: of,
    sealer: createSealer({ encryption: ringKeyEncryption(keyRing), store: mongoDataKeyStore(store) }),
    clock,
    log: createLogger({ service: 'identity', level: 'silent' }),
    rotationDays,
  });
  opened.push(keys);
  return keys;
}

const kidsOf = (keys: SigningKeys) => keys.current().published.map(({ kid }) => kid);
const cookiesOf = (keys: SigningKeys) => keys.current().cookieKeys.map((key) => key.reveal());

describe('signing keys', () => {
  test('replicas that start at once make one key, and share it and its cookie key', async () => {
    const replicas = await Promise.all([open(), open(), open(), open()]);
    expect(await store.db.collection('oauth_signing_keys').countDocuments()).toBe(1);
    const [first, ...others] = replicas;
    for (const other of others) {
      expect(kidsOf(other)).toEqual(kidsOf(first ?? other));
      expect(cookiesOf(other)).toEqual(cookiesOf(first ?? other));
    }
  });

  test('replicas that rotate at once make one key more; the other finds it when a token names it', async () => {
    const [a, b] = [await open(), await open()];
    const [kidA, kidB] = await Promise.all([a.rotate(), b.rotate()]);
    expect(kidA).toBe(kidB);
    expect(await store.db.collection('oauth_signing_keys').countDocuments()).toBe(2);
    const c = await open();
    clock.advance(PUBLISH_AHEAD_MS);
    const next = await c.rotate();
    expect((await a.findPublicKey(next))?.type).toBe('public');
  });

  test('rotating again before the new key signs makes no other', async () => {
    const keys = await open();
    const kid = await keys.rotate();
    expect(await keys.rotate()).toBe(kid);
  });

  test('the old key signs until the new one has been published for a while, and tells when that changes', async () => {
    const keys = await open();
    const [old = ''] = kidsOf(keys);
    const changes: string[] = [];
    keys.onChange(({ active }) => changes.push(active.kid));
    const kid = await keys.rotate();
    expect(kidsOf(keys)).toEqual([old, kid]);
    clock.advance(PUBLISH_AHEAD_MS);
    // Any database read would trigger the refresh; the next scheduled one is half a minute away.
    await keys.findPublicKey('unknown');
    expect(kidsOf(keys)).toEqual([kid, old]);
    expect(changes).toEqual([old, kid]);
    expect(await keys.findPublicKey(old)).toBeDefined();
    clock.advance(RETIRE_AFTER_MS);
    const later = await open();
    expect(kidsOf(later)).toEqual([kid]);
    expect(await later.findPublicKey(old)).toBeUndefined();
  });

  test('a read that began before a rotation and ends after it takes nothing back', async () => {
    await open();
    const { store: slow, release } = storeWithHeldRead();
    const keys = await open(90, slow);
    const [old] = kidsOf(keys);
    const kid = await keys.rotate();
    release();
    // Closing waits for the read in progress.
    await keys.close();
    expect(kidsOf(keys)).toEqual([old, kid]);
  });

  test('a key of age is followed by the next without anybody asking', async () => {
    await open();
    clock.advance(90 * DAY_MS);
    const keys = await open(90);
    await expect.poll(() => kidsOf(keys).length).toBe(2);
  });

  test('neither private key nor cookie key stands in the database in plain text', async () => {
    const keys = await open();
    const { active, cookieKeys } = keys.current();
    const stored = JSON.stringify(await store.db.collection('oauth_signing_keys').find().toArray());
    for (const secret of [
      active.privateJwk.reveal().d,
      active.privateJwk.reveal().p,
      cookieKeys[0]?.reveal(),
    ]) {
      expect(secret).toEqual(expect.any(String));
      expect(stored).not.toContain(secret);
    }
  });
});
