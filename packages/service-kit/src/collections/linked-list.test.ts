import { expect, test } from 'vitest';
import { LinkedList } from './linked-list.ts';

test('items keep their order, and any of them can be removed, once', () => {
  const list = new LinkedList<string>();
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((item) => list.add(item));
  if (a === undefined || b === undefined || c === undefined || d === undefined) throw new Error('no entries');
  expect([list.toArray(), list.size, list.first]).toEqual([['a', 'b', 'c', 'd'], 4, a]);
  expect([list.remove(b), list.remove(b)]).toEqual([true, false]);
  expect([list.toArray(), list.size]).toEqual([['a', 'c', 'd'], 3]);
  expect([list.remove(a), list.first, list.remove(d)]).toEqual([true, c, true]);
  list.add('e');
  expect([list.toArray(), list.size]).toEqual([['c', 'e'], 2]);
  expect(list.remove(c)).toBe(true);
  expect(list.remove(list.first ?? c)).toBe(true);
  expect([list.toArray(), list.size, list.first]).toEqual([[], 0, undefined]);
  list.add('f');
  expect([list.toArray(), list.size]).toEqual([['f'], 1]);
});

test('an entry moves to the end, unless it was removed', () => {
  const list = new LinkedList<string>();
  const [a, b, c] = ['a', 'b', 'c'].map((item) => list.add(item));
  if (a === undefined || b === undefined || c === undefined) throw new Error('no entries');
  list.moveToEnd(a);
  list.moveToEnd(a);
  expect([list.toArray(), list.size, list.first, c.next, a.next]).toEqual([
    ['b', 'c', 'a'],
    3,
    b,
    a,
    undefined,
  ]);
  list.remove(b);
  list.moveToEnd(b);
  expect([list.toArray(), list.size]).toEqual([['c', 'a'], 2]);
});

test('what was removed refers to no other entry', () => {
  const list = new LinkedList<object>();
  const entries = Array.from({ length: 3 }, () => list.add({}));
  for (const entry of entries) list.remove(entry);
  for (const entry of entries)
    expect(Object.values(entry).filter((value) => entries.includes(value as never))).toEqual([]);
});
