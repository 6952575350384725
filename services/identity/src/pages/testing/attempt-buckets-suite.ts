import { ManualClock } from '@fairlead/service-kit/clock';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { expect, test } from 'vitest';
import type { AttemptBuckets, Bucket } from '../../ports/attempt-buckets.ts';

const SECOND_MS = 1000;

/** The conformance suite of AttemptBuckets. `make` returns buckets that use `clock`. */
export function attemptBucketsSuite(make: (clock: ManualClock) => AttemptBuckets): void {
  function setUp(): {
    readonly clock: ManualClock;
    readonly buckets: AttemptBuckets;
    readonly bucket: Bucket;
  } {
    const clock = new ManualClock(new Date());
    const bucket = { kind: 'test', source: randomBase62(16), capacity: 3, refillMs: 10 * SECOND_MS };
    return { clock, buckets: make(clock), bucket };
  }

  const fill = async (buckets: AttemptBuckets, bucket: Bucket): Promise<void> => {
    for (let taken = 0; taken < bucket.capacity; taken += 1) expect(await buckets.take(bucket)).toBe(0);
  };

  test('a bucket takes its capacity at once, then says how long until the next', async () => {
    const { clock, buckets, bucket } = setUp();
    await fill(buckets, bucket);
    expect(await buckets.take(bucket)).toBe(10 * SECOND_MS);
    clock.advance(4 * SECOND_MS);
    expect(await buckets.take(bucket)).toBe(6 * SECOND_MS);
    clock.advance(6 * SECOND_MS);
    expect(await buckets.take(bucket)).toBe(0);
    expect(await buckets.take(bucket)).toBe(10 * SECOND_MS);
  });

  test('of many at once as many get in as it holds', async () => {
    const { buckets, bucket } = setUp();
    const waits = await Promise.all(Array.from({ length: 20 }, () => buckets.take(bucket)));
    expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(3);
  });

  test('a refused attempt does not prolong the wait', async () => {
    const { clock, buckets, bucket } = setUp();
    await fill(buckets, bucket);
    for (let tries = 0; tries < 50; tries += 1) await buckets.take(bucket);
    clock.advance(10 * SECOND_MS);
    expect(await buckets.take(bucket)).toBe(0);
  });

  test('it never holds more than its capacity, however long it stood', async () => {
    const { clock, buckets, bucket } = setUp();
    await fill(buckets, bucket);
    clock.advance(60 * 60 * SECOND_MS);
    await fill(buckets, bucket);
    expect(await buckets.take(bucket)).toBeGreaterThan(0);
  });

  test('what is given back can be taken again, once', async () => {
    const { buckets, bucket } = setUp();
    await fill(buckets, bucket);
    await buckets.giveBack(bucket);
    expect(await buckets.take(bucket)).toBe(0);
    expect(await buckets.take(bucket)).toBeGreaterThan(0);
  });

  test('a forgotten bucket is empty', async () => {
    const { buckets, bucket } = setUp();
    await fill(buckets, bucket);
    await buckets.forget(bucket);
    await fill(buckets, bucket);
    expect(await buckets.take(bucket)).toBeGreaterThan(0);
  });

  test('giving back to a bucket that is no more is nothing', async () => {
    const { buckets, bucket } = setUp();
    await buckets.giveBack(bucket);
    await fill(buckets, bucket);
    expect(await buckets.take(bucket)).toBeGreaterThan(0);
  });

  test('kinds and sources do not disturb each other', async () => {
    const { buckets, bucket } = setUp();
    await fill(buckets, bucket);
    expect(await buckets.take({ ...bucket, kind: 'other' })).toBe(0);
    expect(await buckets.take({ ...bucket, source: `${bucket.source}-2` })).toBe(0);
  });
}
