import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { cacheEndedSessions } from './ended-sessions.ts';

/** Two replicas with a common store, and messages between them that can be lost. */
function setUp() {
  const clock = new ManualClock(new Date('2026-11-29T10:00:00.000Z'));
  const stored = new Set<string>();
  const state = { session: 1 as number | undefined, looks: 0, isWriteLost: false, isCutOff: false };
  let onLook: () => void = () => undefined;
  const listeners: ((key: string) => void)[] = [];
  const store = {
    add: (_ctx: unknown, { key }: { readonly key: string }) =>
      state.isWriteLost ? Promise.reject(new Error('lost')) : Promise.resolve(void stored.add(key)),
    async has(_ctx: unknown, key: string) {
      state.looks += 1;
      const hasEnded = stored.has(key);
      await Promise.resolve(onLook());
      return hasEnded;
    },
  };
  const replica = () =>
    cacheEndedSessions(store, {
      clock,
      announce: async (key) =>
        Promise.resolve(state.isCutOff ? undefined : listeners.forEach((listen) => listen(key))),
      subscribe(onChange) {
        listeners.push(onChange);
        return { session: () => state.session };
      },
    });
  const ctx = testContext();
  const end = (key: string) => first.add(ctx, { key, expiresAt: new Date('2026-11-30') });
  const [first, second] = [replica(), replica()];
  return {
    state,
    clock,
    end,
    has: (key: string) => second.has(ctx, key),
    onLook: (run: () => void) => (onLook = run),
  };
}

test('the store is asked once about a session that goes on, and again after half a minute', async () => {
  const { has, state, clock } = setUp();
  for (let at = 0; at < 5; at += 1) expect(await has('a')).toBe(false);
  expect(state.looks).toBe(1);
  await has('b');
  clock.advance(29_999);
  await has('a');
  expect(state.looks).toBe(2);
  clock.advance(1);
  await has('a');
  expect(state.looks).toBe(3);
});

test('a session that another replica ends has ended at once, and no other has', async () => {
  const { has, end, state } = setUp();
  await has('a');
  await has('b');
  await end('a');
  expect(await has('a')).toBe(true);
  expect(await has('b')).toBe(false);
  expect(state.looks).toBe(2);
});

test('no look is relied on while ends may be missed, nor one from before that time', async () => {
  const { has, end, state } = setUp();
  await has('a');
  state.isCutOff = true;
  await end('a');
  for (const session of [undefined, 2]) {
    state.session = session;
    expect(await has('a')).toBe(true);
    expect(await has('b')).toBe(false);
  }
  expect(state.looks).toBe(4);
});

test('a look that an end overtakes is not relied on', async () => {
  const { has, end, onLook, state } = setUp();
  const ending: Promise<void>[] = [];
  onLook(() => ending.length === 0 && void ending.push(end('a')));
  expect(await has('a')).toBe(false);
  await Promise.all(ending);
  expect(await has('a')).toBe(true);
  state.looks = 0;
  await has('b');
  expect(state.looks).toBe(1);
});

test('a session whose end could not be stored is refused where that was announced', async () => {
  const { has, end, state } = setUp();
  state.isWriteLost = true;
  await expect(end('a')).rejects.toThrow('lost');
  expect(await has('a')).toBe(true);
});
