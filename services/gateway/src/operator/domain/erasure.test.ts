import { expect, test } from 'vitest';
import { advance, sweepTimes } from './erasure.ts';
import type { Erasure } from './erasure.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const later = (ms: number) => new Date(NOW.getTime() + ms);

test('an account is erased once more when the last call that was let in must have ended, and a day later', () => {
  const sweeps = sweepTimes(120_000);
  expect(sweeps).toEqual([300_000, 86_400_000]);
  const begun: Erasure = {
    accountId: 'acc_1',
    state: 'erasing',
    requestedAt: NOW,
    erasedAt: null,
    sweepCount: 0,
    nextAt: NOW,
  };
  const erased = advance(begun, sweeps, later(1_000));
  expect(erased).toEqual({ ...begun, state: 'erased', erasedAt: later(1_000), nextAt: later(301_000) });
  const swept = advance(erased, sweeps, later(302_000));
  expect(swept).toEqual({ ...erased, sweepCount: 1, nextAt: later(86_401_000) });
  expect(advance(swept, sweeps, later(86_402_000))).toEqual({ ...swept, sweepCount: 2, nextAt: null });
});
