import { describe, expect, test } from 'vitest';
import { daysOf } from './day.ts';

const NOW = new Date('2026-03-02T10:00:00.000Z');
const day = (text: string) => new Date(text);

describe('the days of a period', () => {
  test('are the last 30, today first, where nothing is said', () => {
    const days = daysOf({}, NOW);
    expect(days.slice(0, 3)).toEqual(['2026-03-02', '2026-03-01', '2026-02-28']);
    expect([days.length, days.at(-1)]).toEqual([30, '2026-02-01']);
  });

  test('begin with from and end before to', () => {
    expect(daysOf({ from: day('2026-02-27'), to: day('2026-03-01') }, NOW)).toEqual([
      '2026-02-28',
      '2026-02-27',
    ]);
  });

  test('are those that begin in it, where it begins or ends within a day', () => {
    const period = { from: day('2026-02-26T00:00:00.001Z'), to: day('2026-02-28T00:00:00.001Z') };
    expect(daysOf(period, NOW)).toEqual(['2026-02-28', '2026-02-27']);
    expect(daysOf({ from: day('2026-03-02T00:00:00Z'), to: NOW }, NOW)).toEqual(['2026-03-02']);
  });

  test('are 30 before to, where only that is said', () => {
    const days = daysOf({ to: day('2026-02-15') }, NOW);
    expect([days.length, days[0], days.at(-1)]).toEqual([30, '2026-02-14', '2026-01-16']);
  });

  test('go back 90 days and never ahead, whatever is asked', () => {
    const days = daysOf({ from: day('0001-01-01'), to: day('9999-12-31T23:00:00Z') }, NOW);
    expect([days.length, days[0], days.at(-1)]).toEqual([90, '2026-03-02', '2025-12-03']);
  });

  test.each([
    { from: day('2026-03-03') },
    { from: day('9999-12-31T23:00:00Z') },
    { to: day('2020-01-01') },
    { from: day('2026-03-02'), to: day('2026-03-02') },
    { from: day('2026-03-02'), to: day('2026-03-01') },
  ])('are none where the period is empty, over or to come: %j', (period) => {
    expect(daysOf(period, NOW)).toEqual([]);
  });
});
