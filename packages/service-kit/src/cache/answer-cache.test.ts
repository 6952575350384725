import { describe, expect, test } from 'vitest';
import { createAnswerCache } from './answer-cache.ts';
import { ManualClock } from '../clock.ts';

function setUp(maxEntries = 100) {
  const clock = new ManualClock(new Date(0));
  const state: { session: number | undefined; loads: string[] } = { session: 1, loads: [] };
  const cache = createAnswerCache<string>({
    hear: () => ({ session: () => state.session }),
    clock,
    ttlMs: 2_000,
    maxEntries,
  });
  const ask = (scope: string, key: string) =>
    cache.get(scope, key, () => {
      state.loads.push(`${scope}/${key}`);
      return Promise.resolve(`${scope}/${key} ${state.loads.length}`);
    });
  return { cache, clock, state, ask };
}

describe('the answer cache', () => {
  test('an answer is remembered for its time and no longer', async () => {
    const { clock, state, ask } = setUp();
    expect(await ask('a', 'x')).toBe('a/x 1');
    clock.advance(1_999);
    expect(await ask('a', 'x')).toBe('a/x 1');
    clock.advance(1);
    expect(await ask('a', 'x')).toBe('a/x 2');
    expect(state.loads).toHaveLength(2);
  });

  test('scopes and keys are told apart', async () => {
    const { ask } = setUp();
    expect(await ask('a', 'b","c')).toBe('a/b","c 1');
    expect(await ask('a","b', 'c')).toBe('a","b/c 2');
    expect(await ask('a', 'c')).toBe('a/c 3');
  });

  test('a change is seen at once, by its scope or by all', async () => {
    const { cache, ask } = setUp();
    await ask('a', 'x');
    await ask('b', 'x');
    cache.forget('a');
    expect(await ask('a', 'x')).toBe('a/x 3');
    expect(await ask('b', 'x')).toBe('b/x 2');
    cache.forget(undefined);
    expect(await ask('b', 'x')).toBe('b/x 4');
  });

  test('nothing is remembered while messages may be missed, nor over such a time', async () => {
    const { state, ask } = setUp();
    await ask('a', 'x');
    state.session = undefined;
    expect(await ask('a', 'x')).toBe('a/x 2');
    expect(await ask('a', 'x')).toBe('a/x 3');
    state.session = 3;
    expect(await ask('a', 'x')).toBe('a/x 4');
    expect(await ask('a', 'x')).toBe('a/x 4');
  });

  test('an answer that was under way when a change was told of is not remembered', async () => {
    const { cache } = setUp();
    let answer: ((text: string) => void) | undefined;
    const asked = cache.get('a', 'x', () => new Promise<string>((resolve) => (answer = resolve)));
    cache.forget('a');
    answer?.('old');
    expect(await asked).toBe('old');
    expect(await cache.get('a', 'x', () => Promise.resolve('new'))).toBe('new');
  });

  test('a failure is asked again', async () => {
    const { cache } = setUp();
    await expect(cache.get('a', 'x', () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    expect(await cache.get('a', 'x', () => Promise.resolve('up'))).toBe('up');
  });

  test('the oldest goes when there are too many', async () => {
    const { state, ask } = setUp(2);
    for (const key of ['x', 'y', 'z']) await ask('a', key);
    state.loads = [];
    await ask('a', 'y');
    await ask('a', 'z');
    expect(state.loads).toEqual([]);
    await ask('a', 'x');
    expect(state.loads).toEqual(['a/x']);
  });
});
