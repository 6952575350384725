import { ManualClock } from '@fairlead/service-kit/clock';
import { describe, expect, test } from 'vitest';
import { cacheKeyOwners } from './key-owner-cache.ts';

function setUp(answer: () => Promise<undefined> = () => Promise.resolve(undefined), maxEntries?: number) {
  const clock = new ManualClock(new Date(0));
  let lookups = 0;
  const find = cacheKeyOwners(
    () => {
      lookups += 1;
      return answer();
    },
    clock,
    maxEntries,
  );
  return { find, clock, lookups: () => lookups };
}

describe('the cache of key owners', () => {
  test('an answer is kept for two seconds and no longer', async () => {
    const { find, clock, lookups } = setUp();
    await find('a');
    clock.advance(1999);
    await find('a');
    expect(lookups()).toBe(1);
    clock.advance(1);
    await find('a');
    expect(lookups()).toBe(2);
  });

  test('simultaneous questions share one lookup', async () => {
    const { find, lookups } = setUp();
    await Promise.all([find('a'), find('a'), find('b')]);
    expect(lookups()).toBe(2);
  });

  test('a failed lookup is asked again', async () => {
    const { find, lookups } = setUp(() => Promise.reject(new Error('down')));
    await expect(find('a')).rejects.toThrow('down');
    await expect(find('a')).rejects.toThrow('down');
    expect(lookups()).toBe(2);
  });

  test('a flood of keys pushes the oldest out', async () => {
    const { find, lookups } = setUp(undefined, 2);
    for (const hash of ['a', 'b', 'c', 'c', 'b']) await find(hash);
    expect(lookups()).toBe(3);
    await find('a');
    expect(lookups()).toBe(4);
  });
});
