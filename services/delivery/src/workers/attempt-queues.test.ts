import { expect, it } from 'vitest';
import type { AttemptEnd, RequestTiming } from '../use-cases/perform-attempt.ts';
import { ATTEMPT_LIMITS, AttemptQueues } from './attempt-queues.ts';
import type { AttemptLimits, Recipient } from './attempt-queues.ts';

const FAST: RequestTiming = { isTimeout: false, durationMs: 1 };
const TIMEOUT: RequestTiming = { isTimeout: true, durationMs: 10_000 };

const LIMITS: AttemptLimits = { total: 20, later: 8, perDestination: 4, aheadPerPermit: 1, waiting: 40 };

/** A destination of its own account, by default. */
const to = (destinationId: string, accountId = `account of ${destinationId}`): Recipient => ({
  accountId,
  destinationId,
});

/** Attempts that end when the test resolves them. */
function world(o: Partial<AttemptLimits> = {}, mayBegin = (_destinationId: string): boolean => true) {
  const running = new Map<string, (result: AttemptEnd) => void>();
  const time = { nowMs: 0 };
  const queues = new AttemptQueues<string>({
    limits: { ...LIMITS, ...o },
    run: (item) => new Promise((resolve) => void running.set(item, resolve)),
    onFree: () => undefined,
    mayBegin,
    nowMs: () => time.nowMs,
  });
  const end = async (
    item: string,
    request: RequestTiming | 'none' = FAST,
    written = Promise.resolve(),
  ): Promise<void> => {
    running.get(item)?.({ request: request === 'none' ? undefined : request, written });
    running.delete(item);
    await new Promise((resolve) => void setImmediate(resolve));
  };
  const add = (recipient: Recipient, count: number, queue: 0 | 1 = 0): void => {
    for (let at = 0; at < count; at += 1)
      queues.add(recipient, queue, `${recipient.destinationId}${String(at)}`);
  };
  return { queues, add, end, time, running: () => [...running.keys()] };
}

it('a destination has its permits, and no more room before it has answered', () => {
  const { queues, add, running } = world();
  expect(queues.room(to('a'), 0)).toBe(4);
  queues.reserve(to('a'), 2);
  expect(queues.room(to('a'), 0)).toBe(2);
  queues.unreserve(to('a'), 2);
  add(to('a'), 5);
  expect(running()).toEqual(['a0', 'a1', 'a2', 'a3']);
  expect(queues.room(to('a'), 0)).toBe(0);
  expect(queues.takeWaiting()).toEqual(['a4']);
});

it('the faster a destination answers, the more attempts wait for it: soon as many as may, and none once it is slow', async () => {
  const { queues, add, end } = world({ ...ATTEMPT_LIMITS });
  const most = ATTEMPT_LIMITS.perDestination * ATTEMPT_LIMITS.aheadPerPermit;
  add(to('a'), 60);
  const rooms: number[] = [];
  const answer = async (at: number, durationMs: number): Promise<void> => {
    await end(`a${String(at)}`, { isTimeout: false, durationMs });
    rooms.push(queues.room(to('a'), 0) + 60 - rooms.length - 1 - ATTEMPT_LIMITS.perDestination);
  };
  for (let at = 0; at < 30; at += 1) await answer(at, 20);
  expect(rooms.slice(6, 9)).toEqual([56, 64, 72]);
  expect(rooms.at(-1)).toBe(most);
  await answer(30, 100);
  expect(rooms.at(-1)).toBe(40);
  await answer(31, 5_000);
  expect(queues.room(to('a'), 0)).toBe(0);
  expect(queues.takeWaiting()).toHaveLength(20);
  expect(queues.room(to('a'), 0)).toBe(0);
});

it('a destination with nothing to do for a moment has as much room as before; of very many, those that answered last are remembered', async () => {
  const { queues, add, end } = world({ ...ATTEMPT_LIMITS });
  const answer = async (id: string): Promise<void> => {
    add(to(id), 1);
    await end(`${id}0`);
  };
  const { perDestination } = ATTEMPT_LIMITS;
  for (const _of of [1, 2]) await answer('a');
  expect(queues.room(to('a'), 0)).toBe(perDestination + 2 * perDestination);
  expect(queues.room(to('b'), 0)).toBe(perDestination);
  for (let at = 0; at < 9_998; at += 1) await answer(`other ${String(at)}`);
  await answer('a');
  for (let at = 0; at < 9_999; at += 1) await answer(`new ${String(at)}`);
  expect(queues.room(to('a'), 0)).toBe(perDestination + 3 * perDestination);
  await answer('one more');
  expect(queues.room(to('a'), 0)).toBe(perDestination);
});

it('a fast destination that answers no more has no more room than what came until then', async () => {
  const { queues, add, end, time } = world({ ...ATTEMPT_LIMITS });
  const most = ATTEMPT_LIMITS.perDestination * (1 + ATTEMPT_LIMITS.aheadPerPermit);
  for (const id of ['a', 'b', 'c', 'd']) {
    add(to(id, 'one'), 30);
    for (let at = 0; at < 30; at += 1) await end(`${id}${String(at)}`);
    expect(queues.room(to(id, 'one'), 0)).toBe(most);
    add(to(id, 'one'), ATTEMPT_LIMITS.perDestination);
  }
  time.nowMs += 500;
  for (const id of ['a', 'b', 'c', 'd']) expect(queues.room(to(id, 'one'), 0)).toBeGreaterThan(0);
  time.nowMs += 1;
  for (const id of ['a', 'b', 'c', 'd']) expect(queues.room(to(id, 'one'), 0)).toBe(0);
  expect(queues.room(to('e', 'one'), 0)).toBe(ATTEMPT_LIMITS.perDestination);
  await end('a0');
  expect(queues.room(to('a', 'one'), 0)).toBe(1 + most - ATTEMPT_LIMITS.perDestination);
});

it('destinations take turns for the last permits', async () => {
  const { add, end, running } = world({ total: 8 });
  for (const id of ['a', 'b', 'c']) add(to(id, 'one'), 4);
  expect(running()).toEqual(['a0', 'a1', 'a2', 'a3']);
  for (const item of ['a0', 'a1', 'a2']) await end(item);
  expect(running()).toEqual(['a3', 'b0', 'c0', 'b1']);
});

it('attempts wait for a permit of their account where it answers fast, as many as have half of the places, until it hangs', async () => {
  const { queues, add, end, time, running } = world({ ...ATTEMPT_LIMITS });
  const { perDestination, total, waiting } = ATTEMPT_LIMITS;
  const ids = Array.from({ length: 64 }, (_each, at) => `d${String(at)}.`);
  for (const id of ids) {
    add(to(id, 'one'), 3);
    for (let at = 0; at < 3; at += 1) await end(`${id}${String(at)}`);
  }
  for (const id of ids) add(to(id, 'one'), queues.room(to(id, 'one'), 0));
  expect(running()).toHaveLength(total / 2);
  expect(queues.room(to('d0.', 'one'), 0)).toBe(0);
  expect(queues.room(to('other'), 0)).toBe(perDestination);
  expect(queues.takeWaiting()).toHaveLength(waiting / 2);
  const last = to(ids.at(-1) ?? '', 'one');
  expect(queues.room(last, 0)).toBeGreaterThan(0);
  queues.add(last, 0, 'waits');
  expect(running()).not.toContain('waits');
  time.nowMs += 501;
  expect(queues.room(last, 0)).toBe(0);
});

it('however many destinations of an account hang, others have as many permits and places as it has', () => {
  const { queues, running } = world({ ...ATTEMPT_LIMITS });
  const flood = (accountId: string): void => {
    for (let at = 0; at < 200; at += 1) {
      const recipient = to(`${accountId} ${String(at)}`, accountId);
      const room = queues.room(recipient, 0);
      for (let each = 0; each < room; each += 1) queues.add(recipient, 0, `${accountId} ${at} ${each}`);
    }
  };
  const { perDestination, total } = ATTEMPT_LIMITS;
  flood('hostile');
  expect(running()).toHaveLength(total / 2);
  expect(queues.takeWaiting()).toEqual([]);
  flood('hostile');
  flood('hostile too');
  expect(running()).toHaveLength((total * 3) / 4);
  for (let at = 0; at < 8; at += 1) {
    expect(queues.room(to(`healthy ${String(at)}`, 'healthy'), 0)).toBe(perDestination);
    queues.add(to(`healthy ${String(at)}`, 'healthy'), 0, `healthy ${String(at)}`);
  }
  expect(running().filter((item) => item.startsWith('healthy'))).toHaveLength(8);
});

it('an account that has its share goes on as its own attempts end', async () => {
  const { add, end, running } = world({ total: 4 });
  for (const id of ['a', 'b']) add(to(id, 'one'), 2);
  add(to('c', 'other'), 1);
  expect(running()).toEqual(['a0', 'a1', 'c0']);
  await end('a0');
  expect(running()).toEqual(['a1', 'c0', 'b0']);
  await end('c0');
  expect(running()).toEqual(['a1', 'b0']);
});

it('attempts that are not first ones leave half of the permits, of which an account has its share', async () => {
  const { queues, add, end, running } = world({ total: 16, later: 8 });
  for (const id of ['a', 'b']) add(to(id, 'one'), 4, 1);
  expect(running()).toEqual(['a0', 'a1', 'a2', 'a3']);
  add(to('c', 'other'), 4, 1);
  expect(running().slice(4)).toEqual(['c0', 'c1']);
  for (const id of ['d', 'e', 'f']) queues.add(to(id), 1, id);
  expect(running().slice(6)).toEqual(['d', 'e']);
  add(to('g'), 2);
  expect(running().slice(8)).toEqual(['g0', 'g1']);
  await end('g0');
  expect(running()).not.toContain('f');
  await end('a0');
  expect(running()).toContain('f');
});

it('three timeouts in a row leave a destination one permit and no room to wait; each answer gives one back', async () => {
  const { queues, add, end, running } = world();
  add(to('a'), 6);
  for (const item of ['a0', 'a1', 'a2']) await end(item, TIMEOUT);
  expect(running()).toEqual(['a3', 'a4', 'a5']);
  await end('a3', TIMEOUT);
  await end('a4', TIMEOUT);
  expect(queues.room(to('a'), 0)).toBe(0);
  await end('a5');
  expect(queues.room(to('a'), 0)).toBe(4);
});

it('an attempt that was not made says nothing of its destination', async () => {
  const { queues, add, end } = world();
  add(to('a'), 5);
  for (const item of ['a0', 'a1']) await end(item, TIMEOUT);
  await end('a2', 'none');
  await end('a3', TIMEOUT);
  await end('a4', 'none');
  expect(queues.room(to('a'), 0)).toBe(1);
});

it('the permit of an attempt is free while its result is written, but it counts among all until then', async () => {
  const { queues, add, end, running } = world({ total: 8, perDestination: 2, aheadPerPermit: 9, waiting: 0 });
  const written = Promise.withResolvers<void>();
  add(to('a'), 3);
  await end('a0', TIMEOUT, written.promise);
  expect(running()).toEqual(['a1', 'a2']);
  const reserved = () => {
    queues.reserve(to('c'), 4);
    const room = queues.room(to('b'), 0);
    queues.unreserve(to('c'), 4);
    return room;
  };
  expect(reserved()).toBe(1);
  written.resolve();
  await end('a1');
  expect(reserved()).toBe(2);
});

it('a destination that has had its requests of this second waits until it is resumed; others go on', async () => {
  let left = 2;
  const { queues, add, end, running } = world({}, (id) => id !== 'a' || (left -= 1) >= 0);
  add(to('a'), 4);
  add(to('b'), 1);
  expect(running()).toEqual(['a0', 'a1', 'b0']);
  await end('a0');
  expect(running()).toEqual(['a1', 'b0']);
  left = 1;
  queues.resume('a');
  expect(running()).toEqual(['a1', 'b0', 'a2']);
});

it('of a bounded number of requests in a second, those of a few seconds are claimed at a time', () => {
  const { queues, add } = world({ ...ATTEMPT_LIMITS, perSecond: 1 });
  expect(queues.room(to('a'), 0)).toBe(5);
  add(to('a'), 4);
  expect(queues.room(to('a'), 0)).toBe(1);
});

it('is idle once what has begun is over', async () => {
  const { queues, add, end } = world();
  add(to('a'), 1);
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
