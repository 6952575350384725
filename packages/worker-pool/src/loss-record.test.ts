import { expect, it } from 'vitest';
import { LossRecord } from './loss-record.ts';

it('an account is refused from its last permitted loss until a minute after the first of them', () => {
  const losses = new LossRecord(3);
  for (const now of [0, 10_000]) losses.add('a', 'memory', now);
  expect(losses.isQuarantined('a', 10_000)).toBe(false);
  losses.add('a', 'memory', 20_000);
  losses.add('b', 'memory', 20_000);
  expect(['a', 'b'].map((account) => losses.isQuarantined(account, 59_999))).toEqual([true, false]);
  expect(losses.isQuarantined('a', 60_000)).toBe(false);
});

it('a loss counts for a minute', () => {
  const losses = new LossRecord(2);
  losses.add('a', 'memory', 0);
  losses.sweep(59_999);
  losses.add('a', 'memory', 59_999);
  expect(losses.isQuarantined('a', 59_999)).toBe(true);
  losses.sweep(119_999);
  losses.add('a', 'memory', 119_999);
  expect(losses.isQuarantined('a', 119_999)).toBe(false);
});

it('a worker that its calls did not end does not count', () => {
  const losses = new LossRecord(1);
  for (const reason of ['died', 'start', 'closed'] as const) losses.add('a', reason, 0);
  expect(losses.isQuarantined('a', 0)).toBe(false);
  losses.add('a', 'uncaught', 0);
  expect(losses.isQuarantined('a', 0)).toBe(true);
});
