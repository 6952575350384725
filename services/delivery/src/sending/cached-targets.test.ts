import { SHARED_READ_MS } from '@fairlead/service-kit/cache/shared-reads';
import { Secret } from '@fairlead/service-kit/secret';
import { expect, it } from 'vitest';
import type { TargetState } from '../ports/targets.ts';
import { createCachedTargets } from './cached-targets.ts';

const target = (epoch: number): TargetState => ({
  id: 'dst_1',
  accountId: 'acc_1',
  url: 'https://receiver.example/',
  secret: new Secret('whsec_'),
  headers: new Secret({}),
  isEnabled: true,
  epoch,
  resumeFrom: null,
});

/** Each read takes `durationMs`; its epoch is the number of earlier reads. */
function world(durationsMs: readonly number[] = []) {
  const time = { nowMs: 0 };
  let reads = 0;
  const targets = createCachedTargets({
    nowMs: () => time.nowMs,
    read: () => {
      const epoch = reads;
      reads += 1;
      return Promise.resolve().then(() => {
        time.nowMs += durationsMs[epoch] ?? 0;
        return target(epoch);
      });
    },
  });
  return { time, targets, epochNow: async () => (await targets.read('dst_1'))?.epoch, reads: () => reads };
}

it('reads that come together share one, and those within a moment', async () => {
  const { time, epochNow, reads } = world();
  expect(await Promise.all([epochNow(), epochNow()])).toEqual([0, 0]);
  time.nowMs = SHARED_READ_MS - 1;
  expect([await epochNow(), reads()]).toEqual([0, 1]);
  time.nowMs = SHARED_READ_MS;
  expect([await epochNow(), reads()]).toEqual([1, 2]);
});

it('a read that took longer than it may be used for is made again', async () => {
  const { epochNow, reads } = world([101, 101, 100]);
  expect([await epochNow(), reads()]).toEqual([2, 3]);
});

it('what was read is current for 100 ms from the beginning of the read', async () => {
  const { time, targets } = world([30]);
  const read = await targets.read('dst_1');
  time.nowMs = 100;
  expect(read?.isCurrent()).toBe(true);
  time.nowMs = 101;
  expect(read?.isCurrent()).toBe(false);
});

it('a failed read is not remembered', async () => {
  let isDown = true;
  const targets = createCachedTargets({
    read: () => (isDown ? Promise.reject(new Error('down')) : Promise.resolve(target(1))),
  });
  await expect(targets.read('dst_1')).rejects.toThrow('down');
  isDown = false;
  expect(await targets.read('dst_1')).toMatchObject({ epoch: 1 });
});
