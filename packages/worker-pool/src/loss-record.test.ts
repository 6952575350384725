import { expect, it } from 'vitest';
import { LossRecord } from './loss-record.ts';

it('an account is refused from its last permitted loss until a minute after the first of them', () => {
  const losses = new LossRecord(3);
  for (const now of [0, 10_000]) losses.add('a', now);
  expect(losses.isQuarantined('a', 10_000)).toBe(false);
  losses.add('a', 20_000);
  losses.add('b', 20_000);
  expect(['a', 'b'].map((account) => losses.isQuarantined(account, 59_999))).toEqual([true, false]);
  expect(losses.isQuarantined('a', 60_000)).toBe(false);
});

it('a loss counts for a minute', () => {
  const losses = new LossRecord(2);
  losses.add('a', 0);
  losses.sweep(59_999);
  losses.add('a', 59_999);
  expect(losses.isQuarantined('a', 59_999)).toBe(true);
  losses.sweep(119_999);
  losses.add('a', 119_999);
  expect(losses.isQuarantined('a', 119_999)).toBe(false);
});
