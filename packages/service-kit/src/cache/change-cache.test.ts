import { ApiError } from '@fairlead/errors/api-error';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../clock.ts';
import { createChangeCaches } from './change-cache.ts';
import type { ChangeCacheOptions } from './change-cache.ts';

/** The scope of a key is the part before its slash; a key without a slash has none. */
const scopeOf = (_answer: string, key: string): string | undefined =>
  key.includes('/') ? key.split('/')[0] : undefined;

/** A cache of records whose changes are announced before they are written; `answers` are the source's responses. */
function setUp(
  o: Partial<ChangeCacheOptions> & {
    readonly session?: number | undefined;
    readonly answers?: (key: string) => Promise<string>;
  } = {},
) {
  const { answers = (key: string) => Promise.resolve(key), ...options } = o;
  const clock = new ManualClock(new Date(0));
  const state = { session: 'session' in o ? o.session : 1, loads: 0, subscriptions: 0 };
  let change: (scope: string | undefined) => void = () => undefined;
  const caches = createChangeCaches({
    clock,
    freshMs: 30_000,
    uncertainMs: 2_000,
    announcedMs: 30_000,
    maxEntries: 100,
    subscribe: (onChange) => {
      state.subscriptions += 1;
      change = onChange;
      return { session: () => state.session };
    },
    ...options,
  });
  const open = () => {
    const cache = caches.open(scopeOf);
    return (key: string): Promise<string> =>
      cache.get(key, () => {
        state.loads += 1;
        return answers(key);
      });
  };
  const get = open();
  /** The number of loads when these keys are requested one after the other. */
  const loadsFor = async (...keys: string[]): Promise<number> => {
    const before = state.loads;
    for (const key of keys) await get(key);
    return state.loads - before;
  };
  return { get, open, change, clock, state, loadsFor };
}

describe('a change cache', () => {
  test.each(['a/1', 'unknown'])(
    'uses the value of %s for exactly as long as it is fresh while no change can be missed',
    async (key) => {
      const { clock, loadsFor } = setUp();
      expect(await loadsFor(key)).toBe(1);
      clock.advance(29_999);
      expect(await loadsFor(key)).toBe(0);
      clock.advance(1);
      expect(await loadsFor(key)).toBe(1);
    },
  );

  test('uses a value for exactly two seconds while changes may be missed', async () => {
    const { clock, loadsFor } = setUp({ session: undefined });
    await loadsFor('a/1');
    clock.advance(1_999);
    expect(await loadsFor('a/1')).toBe(0);
    clock.advance(1);
    expect(await loadsFor('a/1')).toBe(1);
  });

  test.each([undefined, 2])(
    'does not use a value without a scope when its session has ended (now: %s)',
    async (next) => {
      const { state, loadsFor } = setUp();
      await loadsFor('unknown');
      state.session = next;
      expect(await loadsFor('unknown')).toBe(1);
    },
  );

  test('does not cache a value without a scope while changes may be missed, but shares its load', async () => {
    const { get, state, loadsFor } = setUp({ session: undefined });
    await Promise.all([get('unknown'), get('unknown')]);
    expect(state.loads).toBe(1);
    expect(await loadsFor('unknown', 'unknown')).toBe(2);
  });

  test.each([undefined, 2])('uses a value of an ended session (now: %s) for two seconds', async (next) => {
    const { clock, state, loadsFor } = setUp();
    await loadsFor('a/1');
    clock.advance(1_999);
    state.session = next;
    expect(await loadsFor('a/1')).toBe(0);
    clock.advance(1);
    expect(await loadsFor('a/1')).toBe(1);
  });

  test('drops at once the values that a change concerns: those of its scope and those without one', async () => {
    const { change, loadsFor } = setUp();
    await loadsFor('a/1', 'b/1', 'unknown');
    change('a');
    expect(await loadsFor('b/1')).toBe(0);
    expect(await loadsFor('a/1')).toBe(1);
    expect(await loadsFor('unknown')).toBe(1);
  });

  test('drops everything if any scope may have changed', async () => {
    const { change, loadsFor } = setUp();
    await loadsFor('a/1', 'b/1');
    change(undefined);
    expect(await loadsFor('a/1', 'b/1')).toBe(2);
  });

  test.each(['a', undefined])(
    'uses values that a change of %s concerns only for two seconds while the write may still follow',
    async (scope) => {
      const { clock, change, loadsFor } = setUp();
      change(scope);
      await loadsFor('a/1', 'b/1', 'unknown');
      clock.advance(2_000);
      expect(await loadsFor('b/1')).toBe(scope === undefined ? 1 : 0);
      expect(await loadsFor('a/1')).toBe(1);
      expect(await loadsFor('unknown')).toBe(1);
      clock.advance(30_000);
      expect(await loadsFor('a/1')).toBe(1);
      clock.advance(20_000);
      expect(await loadsFor('a/1')).toBe(0);
    },
  );

  test.each(['a/1', 'unknown'])(
    'uses the value of %s that was requested while a write could follow for two seconds, even when none can any more',
    async (key) => {
      const { clock, change, loadsFor } = setUp();
      change('a');
      clock.advance(29_999);
      await loadsFor(key);
      clock.advance(2_000);
      expect(await loadsFor(key)).toBe(1);
      clock.advance(29_999);
      expect(await loadsFor(key)).toBe(0);
    },
  );

  test('forgets that a write could follow only when no value from before can be fresh', async () => {
    const { clock, change, loadsFor } = setUp();
    change('a');
    clock.advance(29_999);
    await loadsFor('a/1');
    clock.advance(29_999);
    change('b');
    expect(await loadsFor('a/1')).toBe(1);
  });

  test('does not cache a value whose load was in progress when a change arrived', async () => {
    let respond: ((answer: string) => void) | undefined;
    const { get, change, state } = setUp({ answers: () => new Promise((resolve) => (respond = resolve)) });
    const asked = get('a/1');
    change('a');
    respond?.('old');
    expect(await asked).toBe('old');
    void get('a/1');
    expect(state.loads).toBe(2);
  });

  test('does not cache a failure', async () => {
    const { get, state } = setUp({ answers: () => Promise.reject(new Error('down')) });
    await expect(get('a/1')).rejects.toThrow('down');
    await expect(get('a/1')).rejects.toThrow('down');
    expect(state.loads).toBe(2);
  });

  test('uses no value that is no longer fresh, even if its source is away', async () => {
    const state = { isAway: false };
    const { get, clock } = setUp({
      answers: (key) =>
        state.isAway ? Promise.reject(new ApiError('UNAVAILABLE', 'away')) : Promise.resolve(key),
    });
    await get('a/1');
    state.isAway = true;
    clock.advance(30_000);
    await expect(get('a/1')).rejects.toThrow('away');
  });

  test('shares one load among simultaneous callers', async () => {
    const { get, state } = setUp();
    await Promise.all([get('a'), get('a'), get('b')]);
    expect(state.loads).toBe(2);
  });

  test('shares one load of a value that is no longer fresh', async () => {
    const { get, clock, state } = setUp();
    await get('a/1');
    clock.advance(30_000);
    await Promise.all([get('a/1'), get('a/1')]);
    expect(state.loads).toBe(2);
  });

  test('does not delay callers that arrive two seconds after a load that hangs', async () => {
    let isFrozen = true;
    const { get, clock, loadsFor } = setUp({
      answers: (key) => (isFrozen ? new Promise(() => undefined) : Promise.resolve(key)),
    });
    void get('a/1');
    isFrozen = false;
    clock.advance(2_000);
    expect(await loadsFor('a/1')).toBe(1);
  });

  test('keeps at most the configured number of values, and drops the oldest first', async () => {
    const { loadsFor } = setUp({ maxEntries: 2 });
    expect(await loadsFor('a', 'b', 'c', 'c', 'b')).toBe(3);
    expect(await loadsFor('a')).toBe(1);
  });

  test('shares one subscription with the others, and has its own values', async () => {
    const { get, open, change, state } = setUp();
    const other = open();
    for (const ask of [get, other, get, other]) await ask('a/1');
    expect(state).toMatchObject({ loads: 2, subscriptions: 1 });
    change('a');
    for (const ask of [get, other]) await ask('a/1');
    expect(state.loads).toBe(4);
  });
});

describe('a change cache that uses nothing uncertain, whose changes follow their writes', () => {
  const CERTAIN = { freshMs: 2_000, uncertainMs: 0, announcedMs: 0 };

  test('caches nothing while changes may be missed, nor from before', async () => {
    const { state, loadsFor } = setUp(CERTAIN);
    expect(await loadsFor('a/1', 'a/1')).toBe(1);
    state.session = undefined;
    expect(await loadsFor('a/1', 'a/1')).toBe(2);
    state.session = 3;
    expect(await loadsFor('a/1', 'a/1')).toBe(1);
  });

  test('caches again right after a change', async () => {
    const { change, loadsFor } = setUp(CERTAIN);
    change('a');
    change(undefined);
    expect(await loadsFor('a/1', 'a/1')).toBe(1);
  });

  test('shares no load, because the load of one caller may end with it', async () => {
    const { get, state } = setUp(CERTAIN);
    await Promise.all([get('a/1'), get('a/1')]);
    expect(state.loads).toBe(2);
  });
});
