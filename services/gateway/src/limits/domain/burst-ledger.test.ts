import { describe, expect, test } from 'vitest';
import { BurstLedger } from './burst-ledger.ts';
import type { Count } from './burst-ledger.ts';

const NOW = 1_800_000_000;
const ACCOUNT = 'acc_1';

const told = (replica: string, second: number, ...counts: readonly [calls: number, searches?: number][]) => ({
  replica,
  second,
  counts: counts.map(([calls, searches = 0]): Count => ({ accountId: ACCOUNT, calls, searches })),
  isLeaving: false,
});

describe('counts of a second', () => {
  test('own and others are told apart, calls and searches too', () => {
    const ledger = new BurstLedger();
    ledger.count(ACCOUNT, NOW, false);
    ledger.count(ACCOUNT, NOW, true);
    ledger.hear(told('b', NOW, [5, 2]), NOW);
    ledger.hear(told('c', NOW, [1]), NOW);
    expect(ledger.tally(ACCOUNT, NOW)).toMatchObject({
      calls: 2,
      searches: 1,
      otherCalls: 6,
      otherSearches: 2,
    });
    expect(ledger.tally('acc_2', NOW)).toMatchObject({ calls: 0, otherCalls: 0 });
  });

  test('what is told twice, late or in the wrong order counts once', () => {
    const ledger = new BurstLedger();
    for (const calls of [3, 3, 7, 5, 7]) ledger.hear(told('b', NOW, [calls]), NOW);
    expect(ledger.tally(ACCOUNT, NOW).otherCalls).toBe(7);
    ledger.hear(told('b', NOW - 1, [9]), NOW);
    expect(ledger.tally(ACCOUNT, NOW).otherCalls).toBe(7);
  });

  test('what a replica tells whose clock is a little ahead counts when that second comes', () => {
    const ledger = new BurstLedger();
    ledger.hear(told('b', NOW + 1, [4]), NOW);
    ledger.hear(told('b', NOW + 2, [100]), NOW);
    expect(ledger.tally(ACCOUNT, NOW).otherCalls).toBe(0);
    expect(ledger.tally(ACCOUNT, NOW + 1).otherCalls).toBe(4);
    ledger.hear(told('b', NOW + 1, [6]), NOW + 1);
    expect(ledger.tally(ACCOUNT, NOW + 1).otherCalls).toBe(6);
    expect(ledger.tally(ACCOUNT, NOW + 2).otherCalls).toBe(0);
  });

  test('each second begins at 0, whatever the clock does', () => {
    const ledger = new BurstLedger();
    for (const second of [NOW, NOW + 1, NOW + 100, NOW]) {
      expect(ledger.tally(ACCOUNT, second)).toMatchObject({ calls: 0, otherCalls: 0 });
      ledger.count(ACCOUNT, second, false);
      expect(ledger.tally(ACCOUNT, second)).toMatchObject({ calls: 1 });
    }
  });
});

describe('what is to be told', () => {
  test('is what changed since the last time, as totals', () => {
    const ledger = new BurstLedger();
    ledger.count(ACCOUNT, NOW, true);
    ledger.count(ACCOUNT, NOW, false);
    expect(ledger.changes(NOW, 10)).toEqual([{ accountId: ACCOUNT, calls: 2, searches: 1 }]);
    expect(ledger.changes(NOW, 10)).toEqual([]);
    ledger.count(ACCOUNT, NOW, false);
    expect(ledger.changes(NOW, 10)).toEqual([{ accountId: ACCOUNT, calls: 3, searches: 1 }]);
  });

  test('comes in parts where it is much', () => {
    const ledger = new BurstLedger();
    for (let at = 0; at < 5; at += 1) ledger.count(`acc_${at}`, NOW, false);
    expect(ledger.changes(NOW, 3)).toHaveLength(3);
    expect(ledger.hasChanges).toBe(true);
    expect(ledger.changes(NOW, 3)).toHaveLength(2);
    expect(ledger.hasChanges).toBe(false);
  });

  test('is all of this second again for who did not hear it, and nothing of what others told', () => {
    const ledger = new BurstLedger();
    ledger.count(ACCOUNT, NOW, false);
    ledger.hear({ ...told('b', NOW), counts: [{ accountId: 'acc_2', calls: 1, searches: 0 }] }, NOW);
    ledger.changes(NOW, 10);
    ledger.repeat(NOW);
    expect(ledger.changes(NOW, 10)).toEqual([{ accountId: ACCOUNT, calls: 1, searches: 0 }]);
    ledger.count(ACCOUNT, NOW, false);
    expect(ledger.changes(NOW + 1, 10)).toEqual([]);
  });
});
