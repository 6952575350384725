import { expect, test } from 'vitest';
import { NOW } from '../testing/builders.ts';
import { nextRevocation } from './revocation.ts';

test('a revocation is tried again after 1, 5 and 15 minutes, then hourly, and given up after a day', () => {
  let now = NOW;
  const pauses: number[] = [];
  for (let attempts = 0; ; attempts += 1) {
    const next = nextRevocation(attempts, NOW, now);
    if (next === undefined) break;
    pauses.push((next.getTime() - now.getTime()) / 60_000);
    now = next;
  }
  expect(pauses.slice(0, 6)).toEqual([1, 5, 15, 60, 60, 60]);
  expect(now.getTime() - NOW.getTime()).toBeLessThan(24 * 3_600_000);
  expect(now.getTime() - NOW.getTime()).toBeGreaterThan(22 * 3_600_000);
});
