import { expect, it } from 'vitest';
import { lagOf, LAGS } from './lag.ts';

const capturedAt = new Date('2026-11-22T12:00:00.000Z');
const at = (lagMs: number) => lagOf({ capturedAt, occurredAt: new Date(capturedAt.getTime() - lagMs) });

it.each([
  [0, undefined],
  [999, undefined],
  [-999, undefined],
  [1_000, 0],
  [3_999, 0],
  [4_000, 1],
  [60_000, 2],
  [-1_000, -1],
  [-4_000, -2],
  [365 * 24 * 60 * 60_000, 12],
  [9e14, 13],
])('%d ms between occurrence and capture are of the class %s', (lagMs, lag) => {
  expect(at(lagMs)).toBe(lag);
});

it('a class says how long it is at most', () => {
  for (const lagMs of [1_000, 3_999, 4_000, 16_000, 63_999, 1e9, 1e12]) {
    const found = LAGS.find(({ lag }) => lag === at(lagMs));
    expect(lagMs).toBeLessThanOrEqual(found?.atMostMs ?? 0);
  }
});
