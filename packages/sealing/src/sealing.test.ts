import { describe, expect, it, vi } from 'vitest';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { ringKeyEncryption } from './ring-key-encryption.ts';
import { keepDataKeysWrapped } from './rewrapping.ts';
import { replaceDataKey } from './scope-keys.ts';
import { keyIdOf } from './sealed-value.ts';
import { createSealer } from './sealing.ts';
import type { DataKeyStore } from './data-keys.ts';
import type { KeyEncryption } from './key-encryption.ts';
import type { SealedValue } from './sealed-value.ts';
import { dataKeyStoreSuite } from './testing/data-keys-suite.ts';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { memoryDataKeyStore } from './testing/memory-data-keys.ts';

const base64 = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
const v1 = parseKeyRing(`v1:${base64(1)}`);
const v2 = parseKeyRing(`v2:${base64(2)},v1:${base64(1)}`);
const ownBinding = ['connections', '7', 'accessToken', '1'];

function sealer(o: { keyRing?: typeof v1; store?: DataKeyStore } = {}) {
  return createSealer({
    encryption: ringKeyEncryption(o.keyRing ?? v1),
    store: o.store ?? memoryDataKeyStore(),
  });
}

async function rewrap(store: DataKeyStore, keyRing: typeof v1): Promise<void> {
  const { log, text } = captureLog();
  const lease = { hold: () => Promise.resolve(true), release: () => Promise.resolve() };
  const work = keepDataKeysWrapped({ store, encryption: ringKeyEncryption(keyRing), lease, log });
  await vi.waitUntil(() => text().includes('every data key is wrapped'), { timeout: 90_000 });
  await work.close();
}

describe('the store of unit tests', () => {
  const store = memoryDataKeyStore();
  dataKeyStoreSuite(() => store);
});

it('a sealed value opens to the same text and reveals nothing of it', async () => {
  const seal = sealer();
  const sealed = await seal.seal('acc', ownBinding, 'hünter2');
  expect((await seal.open('acc', ownBinding, sealed)).reveal()).toBe('hünter2');
  expect(sealed).toMatch(/^s1\.[0-9a-f-]{36}\.[A-Za-z0-9_-]+$/);
  expect(Buffer.from(sealed.split('.')[2] ?? '', 'base64url').toString()).not.toContain('nter2');
});

it('bytes and the empty text can be sealed too', async () => {
  const seal = sealer();
  expect(
    (await seal.open('acc', ownBinding, await seal.seal('acc', ownBinding, Buffer.from('bytes')))).reveal(),
  ).toBe('bytes');
  expect((await seal.open('acc', ownBinding, await seal.seal('acc', ownBinding, ''))).reveal()).toBe('');
});

it('sealing the same text twice gives two different values', async () => {
  const seal = sealer();
  expect(await seal.seal('acc', ownBinding, 'x')).not.toBe(await seal.seal('acc', ownBinding, 'x'));
});

it.each([
  ['another account', 'acc2', ownBinding],
  ['another collection', 'acc', ['providers', '7', 'accessToken', '1']],
  ['another document', 'acc', ['connections', '8', 'accessToken', '1']],
  ['another slot', 'acc', ['connections', '7', 'refreshToken', '1']],
  ['another version', 'acc', ['connections', '7', 'accessToken', '2']],
  ['a binding whose parts join to the same text', 'acc', ['connections', '7accessToken', '', '1']],
  ['a binding with fewer parts', 'acc', ownBinding.slice(0, 3)],
])('a value that was moved to %s does not open', async (_, scope, binding) => {
  const seal = sealer();
  await seal.seal('acc2', ownBinding, 'makes its key');
  const sealed = await seal.seal('acc', ownBinding, 'x');
  await expect(seal.open(scope, binding, sealed)).rejects.toMatchObject({ name: 'SealingError' });
});

it('a value that was changed anywhere does not open', async () => {
  const seal = sealer();
  const [format, id, text = ''] = (await seal.seal('acc', ownBinding, 'x')).split('.');
  const box = Buffer.from(text, 'base64url');
  for (let i = 0; i < box.length; i += 1) {
    const changed = Buffer.from(box);
    changed.writeUInt8(changed.readUInt8(i) ^ 1, i);
    const sealed = `${format}.${id}.${changed.toString('base64url')}` as SealedValue;
    await expect(seal.open('acc', ownBinding, sealed)).rejects.toMatchObject({ name: 'SealingError' });
  }
});

it.each(['', 's1', 'x.y.z', 's1.id', 's1.00000000-0000-0000-0000-000000000000.AAAA', 's1.a.b.c'])(
  'the text "%s" does not open',
  async (text) => {
    const seal = sealer();
    await seal.seal('acc', ownBinding, 'x');
    await expect(seal.open('acc', ownBinding, text as SealedValue)).rejects.toMatchObject({
      name: 'SealingError',
    });
  },
);

it('a cut tag does not open', async () => {
  const seal = sealer();
  const sealed = await seal.seal('acc', ownBinding, 'x');
  await expect(seal.open('acc', ownBinding, sealed.slice(0, -8) as SealedValue)).rejects.toMatchObject({
    name: 'SealingError',
  });
});

it('two processes that seal for a new account at once use one key', async () => {
  const store = memoryDataKeyStore();
  const [a, b] = [sealer({ store }), sealer({ store })];
  const [one, two] = await Promise.all([a.seal('acc', ownBinding, '1'), b.seal('acc', ownBinding, '2')]);
  expect((await b.open('acc', ownBinding, one)).reveal()).toBe('1');
  expect((await a.open('acc', ownBinding, two)).reveal()).toBe('2');
});

it('a data key is read once, not at every use', async () => {
  const memory = memoryDataKeyStore();
  let reads = 0;
  const store: DataKeyStore = { ...memory, find: (scope) => memory.find(scope).finally(() => (reads += 1)) };
  const seal = sealer({ store });
  const sealed = await seal.seal('acc', ownBinding, 'x');
  await Promise.all(Array.from({ length: 20 }, () => seal.open('acc', ownBinding, sealed)));
  expect(reads).toBe(1);
});

it('a store that failed once is queried again', async () => {
  const memory = memoryDataKeyStore();
  let isAway = true;
  const store: DataKeyStore = {
    ...memory,
    find: (scope) => (isAway ? Promise.reject(new Error('away')) : memory.find(scope)),
  };
  const seal = sealer({ store });
  await expect(seal.seal('acc', ownBinding, 'x')).rejects.toThrow('away');
  isAway = false;
  expect((await seal.open('acc', ownBinding, await seal.seal('acc', ownBinding, 'x'))).reveal()).toBe('x');
});

describe('rotation of the key-encryption key', () => {
  it('old values open under the new ring, before and after their data key is rewrapped', async () => {
    const store = memoryDataKeyStore();
    const sealed = await sealer({ store }).seal('acc', ownBinding, 'old');
    const opened = async (keyRing: typeof v1) =>
      (await sealer({ keyRing, store }).open('acc', ownBinding, sealed)).reveal();
    expect(await opened(v2)).toBe('old');
    await rewrap(store, v2);
    expect(store.records.get('acc')).toMatchObject({ wrappedWith: 'v2' });
    expect(await opened(parseKeyRing(`v2:${base64(2)}`))).toBe('old');
  });

  it('a ring without the wrapping key names the missing version', async () => {
    const store = memoryDataKeyStore();
    const sealed = await sealer({ store }).seal('acc', ownBinding, 'x');
    const other = parseKeyRing(`v9:${base64(9)}`);
    await expect(sealer({ keyRing: other, store }).open('acc', ownBinding, sealed)).rejects.toThrow(
      'v1 is not in the key ring',
    );
  });

  it('another key under the same version does not open', async () => {
    const store = memoryDataKeyStore();
    const sealed = await sealer({ store }).seal('acc', ownBinding, 'x');
    const wrong = parseKeyRing(`v1:${base64(9)}`);
    await expect(sealer({ keyRing: wrong, store }).open('acc', ownBinding, sealed)).rejects.toThrow(
      'does not open',
    );
  });

  it("a data key that was moved to another account's record does not open", async () => {
    const store = memoryDataKeyStore();
    const sealed = await sealer({ store }).seal('acc', ownBinding, 'x');
    const stolen = store.records.get('acc');
    if (stolen !== undefined) store.records.set('acc2', { ...stolen, scope: 'acc2' });
    await expect(sealer({ store }).open('acc2', ownBinding, sealed)).rejects.toThrow('does not open');
  });
});

describe('a fingerprint', () => {
  it('is the same for the same text and account, even after the key was rewrapped, and reveals nothing else', async () => {
    const store = memoryDataKeyStore();
    const first = await sealer({ store }).fingerprint('acc', 'mcp_secret');
    expect(first).toMatch(/^[\w-]{22}$/);
    await rewrap(store, v2);
    const later = sealer({ keyRing: v2, store });
    expect(await later.fingerprint('acc', 'mcp_secret')).toBe(first);
    expect(await later.fingerprint('acc', 'mcp_other')).not.toBe(first);
    expect(await later.fingerprint('acc2', 'mcp_secret')).not.toBe(first);
  });
});

describe('replacement of a data key', () => {
  async function replaceIn(store: ReturnType<typeof memoryDataKeyStore>, number: number): Promise<void> {
    const record = store.records.get('acc');
    if (record === undefined) throw new Error('acc has no data key');
    const next = await replaceDataKey(ringKeyEncryption(v1), record, number);
    expect(await store.replace(record, next)).toBe(true);
  }

  it('a process seals with the new key within a minute, and opens what either has sealed at once', async () => {
    const store = memoryDataKeyStore();
    let nowMs = 0;
    const slow = createSealer({ encryption: ringKeyEncryption(v1), store, nowMs: () => nowMs });
    const old = await slow.seal('acc', ownBinding, 'old');
    await replaceIn(store, 1);
    const next = await sealer({ store }).seal('acc', ownBinding, 'new');
    expect(keyIdOf(next)).not.toBe(keyIdOf(old));
    nowMs = 59_999;
    expect(keyIdOf(await slow.seal('acc', ownBinding, 'x'))).toBe(keyIdOf(old));
    expect((await slow.open('acc', ownBinding, next)).reveal()).toBe('new');
    expect((await slow.open('acc', ownBinding, old)).reveal()).toBe('old');
    expect((await sealer({ store }).open('acc', ownBinding, old)).reveal()).toBe('old');
    nowMs = 120_000;
    expect(keyIdOf(await slow.seal('acc', ownBinding, 'x'))).toBe(keyIdOf(next));
  });

  it('a key that has not changed is not unwrapped again, however often it is read', async () => {
    let [unwraps, nowMs] = [0, 0];
    const ring = ringKeyEncryption(v1);
    const encryption: KeyEncryption = {
      ...ring,
      unwrap(binding, wrapped) {
        unwraps += 1;
        return ring.unwrap(binding, wrapped);
      },
    };
    const slow = createSealer({ encryption, store: memoryDataKeyStore(), nowMs: () => nowMs });
    for (; nowMs < 600_000; nowMs += 60_000) await slow.seal('acc', ownBinding, 'x');
    expect(unwraps).toBe(1);
  });

  it('fingerprints stay, after any number of replacements and without the former keys', async () => {
    const store = memoryDataKeyStore();
    const early = sealer({ store });
    const fingerprint = await early.fingerprint('acc', 'text');
    const old = await early.seal('acc', ownBinding, 'old');
    await replaceIn(store, 1);
    await replaceIn(store, 2);
    expect((await sealer({ store }).open('acc', ownBinding, old)).reveal()).toBe('old');
    await rewrap(store, v2);
    await store.removeFormer(2, []);
    const later = sealer({ keyRing: v2, store });
    expect(await later.fingerprint('acc', 'text')).toBe(fingerprint);
    expect(await early.fingerprint('acc', 'text')).toBe(fingerprint);
    await expect(later.open('acc', ownBinding, old)).rejects.toThrow('does not exist');
  });

  it("a former key that was moved to another account's record does not open", async () => {
    const store = memoryDataKeyStore();
    await sealer({ store }).seal('acc', ownBinding, 'x');
    await replaceIn(store, 1);
    const sealed = await sealer({ store }).seal('acc2', ownBinding, 'x');
    const [from, to] = [store.records.get('acc'), store.records.get('acc2')];
    if (from !== undefined && to !== undefined) store.records.set('acc2', { ...to, former: from.former });
    await expect(sealer({ store }).open('acc2', ownBinding, sealed)).rejects.toThrow(
      'does not open with its data key',
    );
  });
});

describe('shredding', () => {
  it('makes earlier sealed values permanently unreadable, whatever is sealed afterwards', async () => {
    const store = memoryDataKeyStore();
    const shredding = sealer({ store });
    const sealed = await shredding.seal('acc', ownBinding, 'secret');
    await shredding.shred('acc');
    await shredding.shred('acc');
    expect(store.records.size).toBe(0);
    await expect(shredding.open('acc', ownBinding, sealed)).rejects.toThrow('does not exist');
    const later = await shredding.seal('acc', ownBinding, 'later');
    await expect(shredding.open('acc', ownBinding, sealed)).rejects.toThrow('does not exist');
    expect((await shredding.open('acc', ownBinding, later)).reveal()).toBe('later');
  });
});
