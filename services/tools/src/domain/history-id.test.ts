import { expect, test } from 'vitest';
import { createHistoryIds } from './history-id.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');

test('ids of one process grow, even within a millisecond and when the clock steps back', () => {
  const ids = createHistoryIds(Math.random);
  const made = [NOW, NOW, NOW, new Date(NOW.getTime() - 60_000), NOW, new Date(NOW.getTime() + 1)].map(
    (now) => ids.next(now),
  );
  expect(made).toEqual([...new Set(made)].sort((a, b) => a - b));
});

test('ids of different processes grow with time', () => {
  const earlier = createHistoryIds(() => 0.999_999).next(NOW);
  const later = createHistoryIds(() => 0).next(new Date(NOW.getTime() + 1));
  expect(later).toBeGreaterThan(earlier);
});

test('ids stay safe integers until the year 2089', () => {
  expect(Number.isSafeInteger(createHistoryIds(() => 0.999_999).next(new Date('2089-01-01T00:00:00Z')))).toBe(
    true,
  );
});

test('ids stay unique even if a millisecond needs more than it has numbers', () => {
  const ids = createHistoryIds(() => 0.5);
  const made = Array.from({ length: 10_000 }, () => ids.next(NOW));
  expect(new Set(made).size).toBe(10_000);
});
