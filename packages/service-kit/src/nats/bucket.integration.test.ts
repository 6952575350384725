import { Kvm } from '@nats-io/kv';
import type { KV } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';
import { expect, inject, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { randomBase62 } from '../ids.ts';
import { captureLog } from '../testing/log-lines.ts';
import { openLink } from '../testing/network.ts';
import { openTestNats, streamManager } from '../testing/nats.ts';
import type { BucketDefinition } from './bucket.ts';
import { NatsUnavailableError } from './unavailable.ts';

const value = z.object({ version: z.int(), text: z.string() });
type Value = z.infer<typeof value>;

/** A bucket that no other test uses. */
function newBucket(): BucketDefinition<Value> {
  return {
    name: `test_${randomBase62(12)}`,
    description: 'A bucket of a test',
    schema: value,
    isNewer: (one, than) => one.version > than.version,
  };
}

/** The bucket as the client library sees it, from outside. */
async function outside(name: string): Promise<KV> {
  const connection = await connect({ servers: inject('natsUrl').replace('nats://', '') });
  onTestFinished(() => connection.close());
  return new Kvm(connection).open(name);
}

async function network() {
  const path = await openLink(Number(new URL(inject('natsUrl')).port));
  onTestFinished(() => path.close());
  return { path, url: `nats://127.0.0.1:${path.port}` };
}

const one: Value = { version: 1, text: 'one' };
const two: Value = { version: 2, text: 'two' };

test('nothing is known before the first read, which also ends for an empty bucket', async () => {
  const { path, url } = await network();
  await path.set({ kind: 'blackHole' });
  const bucket = (await openTestNats({ url })).bucket(newBucket());
  let notified = 0;
  bucket.subscribe(() => (notified += 1));
  expect(bucket.isRead()).toBe(false);
  await expect(bucket.update('a', () => one)).rejects.toThrow(NatsUnavailableError);
  await path.set({ kind: 'pass' });
  await expect.poll(() => bucket.isRead()).toBe(true);
  expect([bucket.get('a'), notified]).toEqual([undefined, 1]);
});

test('a value reaches those that watch at once, and those that come later', async () => {
  const definition = newBucket();
  const writer = (await openTestNats()).bucket(definition);
  const reader = (await openTestNats()).bucket(definition);
  await expect.poll(() => reader.isRead()).toBe(true);
  let notified = 0;
  const end = reader.subscribe(() => (notified += 1));
  const stored = await writer.update('a', () => one);
  expect(stored).toEqual({ value: one, revision: 1 });
  expect(writer.get('a')).toMatchObject({ value: one });
  await expect.poll(() => reader.get('a')).toMatchObject({ value: one, revision: 1 });
  expect(notified).toBe(1);
  end();
  await writer.update('b', () => two);
  const late = (await openTestNats()).bucket(definition);
  await expect.poll(() => late.isRead()).toBe(true);
  expect([late.get('a')?.value, late.get('b')?.value, notified]).toEqual([one, two, 1]);
});

test('while NATS is away the known values stay; afterwards the newest ones come', async () => {
  const [definition, { path, url }] = [newBucket(), await network()];
  const near = (await openTestNats()).bucket(definition);
  await near.update('a', () => one);
  const far = await openTestNats({ url });
  const bucket = far.bucket(definition);
  await expect.poll(() => bucket.get('a')?.value).toEqual(one);
  await path.set({ kind: 'reset' });
  await expect.poll(() => far.isLive()).toBe(false);
  await near.update('a', () => two);
  expect([bucket.isRead(), bucket.get('a')?.value]).toEqual([true, one]);
  await path.set({ kind: 'pass' });
  await expect.poll(() => bucket.get('a')?.value).toEqual(two);
});

test('writers at the same time see each other’s values: none is lost', async () => {
  const definition = newBucket();
  const buckets = [
    (await openTestNats()).bucket(definition),
    (await openTestNats()).bucket(definition),
    (await openTestNats()).bucket(definition),
  ];
  const next = (now: Value | undefined): Value => ({ version: (now?.version ?? 0) + 1, text: 'counted' });
  await Promise.all([...buckets, ...buckets].map((bucket) => bucket.update('a', next)));
  for (const bucket of buckets) await expect.poll(() => bucket.get('a')?.value.version).toBe(6);
  const [first] = buckets;
  const before = await (await outside(definition.name)).get('a');
  expect(await first?.update('a', () => undefined)).toMatchObject({ value: { version: 6 } });
  expect((await (await outside(definition.name)).get('a'))?.revision).toBe(before?.revision);
});

test.each(['deleted', 'purged'])('a bucket that was %s gets the known values again', async (loss) => {
  const definition = newBucket();
  const bucket = (await openTestNats()).bucket(definition);
  await bucket.update('a', () => two);
  await bucket.update('b', () => one);
  const { streams } = await streamManager();
  await streams[loss === 'deleted' ? 'delete' : 'purge'](`KV_${definition.name}`);
  await expect
    .poll(async () => {
      const late = (await openTestNats()).bucket(definition);
      await expect.poll(() => late.isRead()).toBe(true);
      return [late.get('a')?.value, late.get('b')?.value];
    })
    .toEqual([two, one]);
  expect([bucket.get('a')?.value, bucket.get('b')?.value]).toEqual([two, one]);
  await bucket.update('a', () => ({ version: 3, text: 'three' }));
  await expect
    .poll(async () => (await (await outside(definition.name)).get('a'))?.json())
    .toMatchObject({ version: 3 });
});

test('an older value in a recreated bucket is replaced; a newer one is taken', async () => {
  const [definition, { path, url }] = [newBucket(), await network()];
  const far = await openTestNats({ url });
  const bucket = far.bucket(definition);
  await bucket.update('a', () => two);
  await bucket.update('b', () => one);
  await path.set({ kind: 'reset' });
  await expect.poll(() => far.isLive()).toBe(false);
  await (await streamManager()).streams.delete(`KV_${definition.name}`);
  const other = (await openTestNats()).bucket(definition);
  await other.update('a', () => one);
  await other.update('b', () => two);
  await path.set({ kind: 'pass' });
  await expect.poll(() => other.get('a')?.value).toEqual(two);
  await expect.poll(() => bucket.get('b')?.value).toEqual(two);
  expect([bucket.get('a')?.value, other.get('b')?.value]).toEqual([two, two]);
});

test('an older value in the same bucket, restored from a copy, is replaced, and the next change is obeyed', async () => {
  const definition = newBucket();
  const bucket = (await openTestNats()).bucket(definition);
  await bucket.update('a', () => one);
  await bucket.update('a', () => two);
  const kv = await outside(definition.name);
  await kv.put('a', JSON.stringify(one));
  await expect.poll(async () => (await kv.get('a'))?.json()).toEqual(two);
  expect(bucket.get('a')?.value).toEqual(two);
  await bucket.update('a', (now) => ({ version: (now?.version ?? 0) + 1, text: 'three' }));
  expect(bucket.get('a')?.value.version).toBe(3);
});

test('a value that is not understood is reported and left out; a deleted key is forgotten', async () => {
  const definition = newBucket();
  const { log, lines } = captureLog();
  const bucket = (await openTestNats({ log })).bucket(definition);
  await bucket.update('a', () => one);
  const kv = await outside(definition.name);
  await kv.put('a', 'no JSON');
  await kv.put('b', '{"version":"2"}');
  await expect.poll(() => lines().filter(({ key }) => key === 'b')).toHaveLength(1);
  expect([bucket.get('a')?.value, bucket.get('b')]).toEqual([one, undefined]);
  await kv.delete('a');
  await expect.poll(() => bucket.get('a')).toBeUndefined();
});
