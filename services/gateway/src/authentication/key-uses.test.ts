import { systemClock } from '@fairlead/service-kit/clock';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createKeyUses } from './key-uses.ts';

// Fakes only these, because the test runner needs the other timers.
beforeEach(() => vi.useFakeTimers({ now: 0, toFake: ['Date', 'setTimeout', 'clearTimeout'] }));
afterEach(() => vi.useRealTimers());

function setUp() {
  const writes: [string, number][][] = [];
  const state: { isAway: boolean; failing: PromiseWithResolvers<void> | undefined } = {
    isAway: false,
    failing: undefined,
  };
  const uses = createKeyUses({
    store: {
      recordUses(given) {
        if (state.failing !== undefined) return state.failing.promise;
        if (state.isAway) return Promise.reject(new Error('away'));
        writes.push([...given].map(([keyId, at]) => [keyId, at.getTime()]));
        return Promise.resolve();
      },
    },
    clock: systemClock,
    log: createLogger({ service: 'test', level: 'silent' }),
  });
  const use = (keyId: string) => uses.note(keyId, new Date());
  return { uses, use, writes, state };
}

describe('the record of when keys were used', () => {
  test('uses of a second are written together, the last one of each key', async () => {
    const { use, writes } = setUp();
    use('a');
    await vi.advanceTimersByTimeAsync(400);
    use('a');
    use('b');
    expect(writes).toEqual([]);
    await vi.advanceTimersByTimeAsync(600);
    expect(writes).toEqual([
      [
        ['a', 400],
        ['b', 400],
      ],
    ]);
  });

  test('a key that is used all the time is written once a minute, and its last use too', async () => {
    const { use, writes } = setUp();
    for (let second = 0; second < 90; second += 1) {
      use('a');
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(writes).toEqual([[['a', 0]], [['a', 60_000]]]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(writes.at(-1)).toEqual([['a', 89_000]]);
    expect(writes).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(writes).toHaveLength(3);
  });

  test('a use that could not be written is tried again, or the later one in its place', async () => {
    const { use, writes, state } = setUp();
    state.isAway = true;
    use('a');
    use('b');
    await vi.advanceTimersByTimeAsync(1_000);
    use('b');
    state.isAway = false;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(writes).toEqual([
      [
        ['a', 0],
        ['b', 1_000],
      ],
    ]);
  });

  test('the uses of keys beyond ten thousand are not recorded while so many are unwritten', async () => {
    const { use, writes } = setUp();
    for (let key = 0; key < 10_001; key += 1) use(`key ${key}`);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(writes.map((uses) => uses.length)).toEqual([10_000]);
    use('key 10000');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(writes.at(-1)).toEqual([['key 10000', 1_000]]);
  });

  test('nor while as many are being written in vain: no write has more than a store takes', async () => {
    const { use, writes, state } = setUp();
    state.failing = Promise.withResolvers();
    for (let key = 0; key < 10_000; key += 1) use(`old ${key}`);
    await vi.advanceTimersByTimeAsync(1_000);
    for (let key = 0; key < 10_000; key += 1) use(`new ${key}`);
    state.failing.reject(new Error('away'));
    state.failing = undefined;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(writes.map((uses) => uses.length)).toEqual([10_000]);
  });

  test('closing writes what is left, and nothing runs afterwards', async () => {
    const { uses, use, writes } = setUp();
    use('a');
    await vi.advanceTimersByTimeAsync(1_000);
    use('a');
    await uses.close();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(writes).toEqual([[['a', 0]], [['a', 1_000]]]);
  });

  test('closing ends even if the database is unreachable', async () => {
    const { uses, use, state } = setUp();
    state.isAway = true;
    use('a');
    await expect(uses.close()).resolves.toBeUndefined();
  });
});
