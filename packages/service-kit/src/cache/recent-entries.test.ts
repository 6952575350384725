import { expect, test } from 'vitest';
import { rememberRecent } from './recent-entries.ts';

test('above the capacity the entry that was set least recently goes', () => {
  const map = new Map<string, number>();
  for (const [name, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['c', 4],
  ] as const)
    rememberRecent(map, name, value, 2);
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});
