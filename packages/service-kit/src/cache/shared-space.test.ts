import { expect, test } from 'vitest';
import { SharedSpace } from './shared-space.ts';

function setUp() {
  const space = new SharedSpace<string>({ bytes: 10, bytesPerOwner: 6 });
  const add = (key: string, owner: string, bytes: number) => space.set(key, { owner, bytes, value: key });
  const kept = (...keys: string[]) => keys.filter((key) => space.get(key) !== undefined);
  return { space, add, kept };
}

test('the values of an owner that were used least recently make room within its share', () => {
  const { space, add, kept } = setUp();
  add('other', 'b', 1);
  for (const key of ['one', 'two', 'three']) add(key, 'a', 2);
  expect(space.get('one')).toBe('one');
  add('four', 'a', 2);
  expect(kept('other', 'one', 'two', 'three', 'four')).toEqual(['other', 'one', 'three', 'four']);
});

test('values of all owners make room within the whole', () => {
  const { add, kept } = setUp();
  add('one', 'a', 5);
  add('two', 'b', 5);
  add('three', 'c', 2);
  expect(kept('one', 'two', 'three')).toEqual(['two', 'three']);
});

test('a value that exceeds the share is not kept, nor is the one that it replaces', () => {
  const { add, kept } = setUp();
  add('one', 'a', 6);
  add('two', 'b', 4);
  add('one', 'a', 7);
  expect(kept('one', 'two')).toEqual(['two']);
  add('three', 'a', 6);
  expect(kept('two', 'three')).toEqual(['two', 'three']);
});
