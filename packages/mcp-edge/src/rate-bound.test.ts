import { ManualClock } from '@fairlead/service-kit/clock';
import { expect, test } from 'vitest';
import { createRateBound } from './rate-bound.ts';

const NOW = new Date('2026-11-29T10:00:00.000Z');

test('a burst passes at once, then as many as the rate allows, for each key by itself', () => {
  const clock = new ManualClock(NOW);
  const bound = createRateBound({ perSecond: 10, burst: 3, clock });
  const take = (key: string, times: number) =>
    Array.from({ length: times }, () => bound.take(key)).filter(Boolean).length;
  expect([take('a', 5), take('b', 2)]).toEqual([3, 2]);
  clock.advance(200);
  expect(take('a', 5)).toBe(2);
  clock.advance(60_000);
  expect(take('a', 5)).toBe(3);
});

test('a clock that goes back gives nothing', () => {
  const clock = new ManualClock(NOW);
  const bound = createRateBound({ perSecond: 10, burst: 1, clock });
  expect(bound.take('a')).toBe(true);
  clock.advance(-5_000);
  expect(bound.take('a')).toBe(false);
});
