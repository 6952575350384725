import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import { expect, it } from 'vitest';
import { RequestPace } from './request-pace.ts';

const NOON_MS = Date.parse('2026-11-23T12:00:00.000Z');

function world(startMs: number) {
  const time = new VirtualTime(startMs);
  const next: string[] = [];
  const onNext = (destinationId: string): void => void next.push(destinationId);
  const pace = new RequestPace({ perSecond: 2, clock: time, timers: time.timers(() => true), onNext });
  return { time, next, pace };
}

it('each destination has so many requests in a second of the clock, and is called again at the next', async () => {
  const { time, next, pace } = world(NOON_MS + 300);
  expect(['a', 'a', 'a', 'a', 'b'].map((id) => pace.take(id))).toEqual([true, true, false, false, true]);
  await time.runUntil(NOON_MS + 999);
  expect([pace.take('a'), next]).toEqual([false, []]);
  await time.runUntil(NOON_MS + 1_000);
  expect(next).toEqual(['a']);
  expect([pace.take('a'), pace.take('a'), pace.take('a')]).toEqual([true, true, false]);
  await time.runUntil(NOON_MS + 2_000);
  expect(next).toEqual(['a', 'a']);
});

it('what nobody was refused is not called again', async () => {
  const { time, next, pace } = world(NOON_MS);
  expect([pace.take('a'), pace.take('a')]).toEqual([true, true]);
  await time.runUntil(NOON_MS + 5_000);
  expect(next).toEqual([]);
});
