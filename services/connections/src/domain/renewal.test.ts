import { expect, test } from 'vitest';
import { NOW } from '../testing/builders.ts';
import { isGivenUp, nextAttempt, nextRenewal } from './renewal.ts';

const HOUR_MS = 3_600_000;
const ids = Array.from({ length: 1_000 }, (_, index) => index + 1);
const hoursTo = (at: Date): number => (at.getTime() - NOW.getTime()) / HOUR_MS;
const ago = (hours: number): Date => new Date(NOW.getTime() - hours * HOUR_MS);

/** Counts values in each tenth between `from` and `to`. */
function tenths(values: readonly number[], from: number, to: number): number[] {
  const counts = Array.from({ length: 10 }, () => 0);
  for (const value of values) {
    const tenth = Math.floor(((value - from) / (to - from)) * 10);
    counts[tenth] = (counts[tenth] ?? 0) + 1;
  }
  return counts;
}

test('grants are renewed within a day, and those of one minute spread over the last tenth of it', () => {
  const hours = ids.map((id) => hoursTo(nextRenewal(id, NOW)));
  expect(Math.max(...hours)).toBeLessThanOrEqual(24);
  const counts = tenths(hours, 21.6, 24.000_001);
  expect(counts).toHaveLength(10);
  for (const count of counts) expect(count).toBeGreaterThan(80);
  expect(nextRenewal(7, NOW)).toEqual(nextRenewal(7, NOW));
});

test('a renewal that fails is tried again hourly for a day from its first failure on, then daily', () => {
  for (const hours of [0, 1, 23.9]) {
    expect(isGivenUp(ago(hours), NOW)).toBe(false);
    for (const id of ids) {
      const after = hoursTo(nextAttempt(id, ago(hours), NOW));
      expect(after).toBeGreaterThan(0.89);
      expect(after).toBeLessThanOrEqual(1);
    }
  }
  expect(isGivenUp(ago(24), NOW)).toBe(true);
  expect(nextAttempt(7, ago(24), NOW)).toEqual(nextRenewal(7, NOW));
});
