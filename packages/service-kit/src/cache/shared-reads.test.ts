import { expect, test } from 'vitest';
import { VirtualTime } from '../testing/virtual-time.ts';
import { createSharedReads, SHARED_READ_MS, untilSharedReadsAreOld } from './shared-reads.ts';

/** Counted reads of a value that the test changes. */
function world(capacity = 10) {
  const time = new VirtualTime(0);
  const timers = time.timers(() => true);
  const reads = createSharedReads<string>({ capacity, nowMs: () => time.nowMs, timers });
  const world = { time, timers, reads, stored: 'old', made: 0 };
  const create = (): Promise<string> => {
    world.made += 1;
    return Promise.resolve(world.stored);
  };
  return Object.assign(world, { read: (key = 'a') => reads.read(key, create).value });
}

test('reads of one key are joined for a moment, those of another are not', async () => {
  const it = world();
  await it.read();
  await it.time.runUntil(SHARED_READ_MS - 1);
  await it.read();
  expect(it.made).toBe(1);
  await it.read('b');
  expect(it.made).toBe(2);
  await it.time.runUntil(SHARED_READ_MS);
  await it.read();
  expect(it.made).toBe(3);
});

test('nobody who asks after a change was answered gets what was read before it', async () => {
  for (let changeMs = 0; changeMs <= 2 * SHARED_READ_MS; changeMs += 1) {
    const it = world();
    for (let readMs = 0; readMs < changeMs; readMs += 7) it.time.plan(readMs, () => void it.read(), true);
    await it.time.runUntil(changeMs);
    await it.read();
    it.stored = 'new';
    let answeredMs = Infinity;
    void untilSharedReadsAreOld(it.timers).then(() => (answeredMs = it.time.nowMs));
    await it.time.runUntil(changeMs + 10 * SHARED_READ_MS);
    expect(answeredMs).toBeGreaterThanOrEqual(changeMs + SHARED_READ_MS);
    expect(await it.read()).toBe('new');
  }
});

test('a change is answered only when reads that began before it have become too old to join', async () => {
  const it = world();
  await it.read();
  it.stored = 'new';
  let isAnswered = false;
  void untilSharedReadsAreOld(it.timers).then(() => (isAnswered = true));
  const seen: [boolean, string][] = [];
  for (let ms = 1; ms <= 3 * SHARED_READ_MS; ms += 1) {
    it.time.plan(ms, () => void it.read().then((value) => seen.push([isAnswered, value])), true);
  }
  await it.time.runUntil(4 * SHARED_READ_MS);
  expect(seen).toContainEqual([false, 'old']);
  expect(seen).toContainEqual([true, 'new']);
  expect(seen).not.toContainEqual([true, 'old']);
});

test('a read that fails is not joined afterwards', async () => {
  const it = world();
  const failing = it.reads.read('a', () => Promise.reject(new Error('away'))).value;
  await expect(failing).rejects.toThrow('away');
  expect(await it.read()).toBe('old');
});

test('what was cleared is read anew', async () => {
  const it = world();
  await it.read();
  it.reads.clear();
  await it.read();
  expect(it.made).toBe(2);
});

test('the oldest reads make room for new ones', async () => {
  const it = world(2);
  for (const key of ['a', 'b', 'c', 'b', 'a']) await it.read(key);
  expect(it.made).toBe(4);
});
