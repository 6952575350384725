import { expect, it } from 'vitest';
import type { MadeAttempt } from '../use-cases/make-attempt.ts';
import { AttemptQueues } from './attempt-queues.ts';
import type { AttemptLimits } from './attempt-queues.ts';

/** Attempts that end when the test says so. */
function world(
  limits: AttemptLimits = { total: 6, later: 3, perDestination: 4, aheadPerSlot: 1, waiting: 20 },
  mayBegin = (_destinationId: string): boolean => true,
) {
  const running = new Map<string, (result: MadeAttempt) => void>();
  const queues = new AttemptQueues<string>({
    limits,
    run: (item) => new Promise((resolve) => void running.set(item, resolve)),
    onFree: () => undefined,
    mayBegin,
  });
  const end = async (item: string, isTimeout = false, written = Promise.resolve()): Promise<void> => {
    running.get(item)?.({ isTimeout, written });
    running.delete(item);
    await new Promise((resolve) => void setImmediate(resolve));
  };
  return { queues, end, running: () => [...running.keys()] };
}

it('a destination has its slots and some attempts that wait, and no more room', () => {
  const { queues, running } = world();
  expect(queues.room('a', 0)).toBe(8);
  queues.reserve('a', 2);
  expect(queues.room('a', 0)).toBe(6);
  queues.unreserve('a', 2);
  for (let at = 0; at < 8; at += 1) queues.add('a', 0, `a${String(at)}`);
  expect(running()).toEqual(['a0', 'a1', 'a2', 'a3']);
  expect(queues.room('a', 0)).toBe(0);
  expect(queues.takeWaiting()).toEqual(['a4', 'a5', 'a6', 'a7']);
});

it('destinations take turns for the last slots', async () => {
  const { queues, end, running } = world();
  for (let at = 0; at < 4; at += 1) queues.add('a', 0, `a${String(at)}`);
  for (let at = 0; at < 4; at += 1) queues.add('b', 0, `b${String(at)}`);
  queues.add('c', 0, 'c0');
  expect(running()).toEqual(['a0', 'a1', 'a2', 'a3', 'b0', 'b1']);
  await end('a0');
  await end('a1');
  expect(running()).toEqual(['a2', 'a3', 'b0', 'b1', 'b2', 'c0']);
});

it('attempts that are not first ones leave half of the slots', async () => {
  const { queues, end, running } = world();
  for (const id of ['a', 'b', 'c', 'd']) queues.add(id, 1, `${id} later`);
  expect(running()).toEqual(['a later', 'b later', 'c later']);
  for (const id of ['a', 'b', 'c']) queues.add(id, 0, `${id} first`);
  expect(running()).toHaveLength(6);
  await end('a first');
  expect(running()).not.toContain('d later');
  await end('b later');
  expect(running()).toContain('d later');
});

it('three timeouts in a row leave a destination one slot and no room to wait; each answer gives one back', async () => {
  const { queues, end, running } = world();
  for (let at = 0; at < 5; at += 1) queues.add('a', 0, `a${String(at)}`);
  for (const item of ['a0', 'a1', 'a2']) await end(item, true);
  expect(running()).toEqual(['a3', 'a4']);
  await end('a3', true);
  expect(queues.room('a', 0)).toBe(0);
  await end('a4');
  expect(queues.room('a', 0)).toBe(4);
});

it('the slot of an attempt is free while its result is written, but it counts among all until then', async () => {
  const { queues, end, running } = world({
    total: 6,
    later: 3,
    perDestination: 2,
    aheadPerSlot: 9,
    waiting: 4,
  });
  const written = Promise.withResolvers<void>();
  for (const item of ['a0', 'a1', 'a2']) queues.add('a', 0, item);
  expect(queues.room('b', 0)).toBe(7);
  await end('a0', false, written.promise);
  expect(running()).toEqual(['a1', 'a2']);
  expect(queues.room('b', 0)).toBe(7);
  written.resolve();
  await end('a1');
  expect(queues.room('b', 0)).toBe(9);
});

it('a destination that has had its requests of this second waits until it is resumed; others go on', async () => {
  let left = 2;
  const { queues, end, running } = world(undefined, (id) => id !== 'a' || (left -= 1) >= 0);
  for (let at = 0; at < 4; at += 1) queues.add('a', 0, `a${String(at)}`);
  queues.add('b', 0, 'b0');
  expect(running()).toEqual(['a0', 'a1', 'b0']);
  await end('a0');
  expect(running()).toEqual(['a1', 'b0']);
  left = 1;
  queues.resume('a');
  expect(running()).toEqual(['a1', 'b0', 'a2']);
});

it('of a bounded number of requests in a second, those of a few seconds are claimed at a time', () => {
  const limits = { total: 256, later: 128, perDestination: 8, aheadPerSlot: 16, waiting: 1_024 };
  expect(world(limits).queues.room('a', 0)).toBe(136);
  const { queues } = world({ ...limits, perSecond: 2 });
  expect(queues.room('a', 0)).toBe(10);
  for (let at = 0; at < 4; at += 1) queues.add('a', 0, `a${String(at)}`);
  expect(queues.room('a', 0)).toBe(6);
});

it('is idle once what has begun is over', async () => {
  const { queues, end } = world();
  queues.add('a', 0, 'a0');
  let isIdle = false;
  const idle = queues.idle().then(() => {
    isIdle = true;
    return undefined;
  });
  await new Promise((resolve) => void setImmediate(resolve));
  expect(isIdle).toBe(false);
  await end('a0');
  await idle;
});
