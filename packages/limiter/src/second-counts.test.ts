import { describe, expect, test } from 'vitest';
import { SecondCounts } from './second-counts.ts';
import type { CountUpdate, KeyCounts } from './second-counts.ts';

const NOW = 1_800_000_000;
const KEY = 'acc_1';
const CALL = ['call'];
const SEARCH = ['call', 'search'];

const update = (replica: string, second: number, ...counts: readonly KeyCounts['calls'][]): CountUpdate => ({
  replica,
  second,
  counts: counts.map((calls) => ({ key: KEY, calls })),
  isLeaving: false,
});

describe('counts of a second', () => {
  test('keep own and others apart, and the names too', () => {
    const counts = new SecondCounts();
    counts.count(KEY, CALL, NOW);
    counts.count(KEY, SEARCH, NOW);
    counts.receive(update('b', NOW, { call: 5, search: 2 }), NOW);
    counts.receive(update('c', NOW, { call: 1 }), NOW);
    expect([counts.own(KEY, 'call', NOW), counts.own(KEY, 'search', NOW)]).toEqual([2, 1]);
    expect([counts.others(KEY, 'call', NOW), counts.others(KEY, 'search', NOW)]).toEqual([6, 2]);
    expect([counts.own('acc_2', 'call', NOW), counts.others('acc_2', 'call', NOW)]).toEqual([0, 0]);
  });

  test('merge updates once that arrive twice, late or out of order', () => {
    const counts = new SecondCounts();
    for (const call of [3, 3, 7, 5, 7]) counts.receive(update('b', NOW, { call }), NOW);
    expect(counts.others(KEY, 'call', NOW)).toBe(7);
    counts.receive(update('b', NOW - 1, { call: 9 }), NOW);
    expect(counts.others(KEY, 'call', NOW)).toBe(7);
  });

  test('of a replica whose clock is a little ahead hold when that second comes', () => {
    const counts = new SecondCounts();
    counts.receive(update('b', NOW + 1, { call: 4 }), NOW);
    counts.receive(update('b', NOW + 2, { call: 100 }), NOW);
    expect(counts.others(KEY, 'call', NOW)).toBe(0);
    expect(counts.others(KEY, 'call', NOW + 1)).toBe(4);
    counts.receive(update('b', NOW + 1, { call: 6 }), NOW + 1);
    expect(counts.others(KEY, 'call', NOW + 1)).toBe(6);
    expect(counts.others(KEY, 'call', NOW + 2)).toBe(0);
  });

  test('begin each second at 0, whatever the clock does', () => {
    const counts = new SecondCounts();
    for (const second of [NOW, NOW + 1, NOW + 100, NOW]) {
      expect([counts.own(KEY, 'call', second), counts.others(KEY, 'call', second)]).toEqual([0, 0]);
      counts.count(KEY, CALL, second);
      expect(counts.own(KEY, 'call', second)).toBe(1);
    }
  });
});

describe('changes to publish', () => {
  test('are what changed since the last time, as totals', () => {
    const counts = new SecondCounts();
    counts.count(KEY, SEARCH, NOW);
    counts.count(KEY, CALL, NOW);
    expect(counts.changes(NOW, 10)).toEqual([{ key: KEY, calls: { call: 2, search: 1 } }]);
    expect(counts.changes(NOW, 10)).toEqual([]);
    counts.count(KEY, CALL, NOW);
    expect(counts.changes(NOW, 10)).toEqual([{ key: KEY, calls: { call: 3, search: 1 } }]);
  });

  test('are split if there are many', () => {
    const counts = new SecondCounts();
    for (let at = 0; at < 5; at += 1) counts.count(`acc_${at}`, CALL, NOW);
    expect(counts.changes(NOW, 3)).toHaveLength(3);
    expect(counts.hasChanges).toBe(true);
    expect(counts.changes(NOW, 3)).toHaveLength(2);
    expect(counts.hasChanges).toBe(false);
  });

  test('are all own counts of this second again for a replica that missed them, and none of the others', () => {
    const counts = new SecondCounts();
    counts.count(KEY, CALL, NOW);
    counts.receive({ ...update('b', NOW), counts: [{ key: 'acc_2', calls: { call: 1 } }] }, NOW);
    counts.changes(NOW, 10);
    counts.repeat(NOW);
    expect(counts.changes(NOW, 10)).toEqual([{ key: KEY, calls: { call: 1 } }]);
    counts.count(KEY, CALL, NOW);
    expect(counts.changes(NOW + 1, 10)).toEqual([]);
  });
});
