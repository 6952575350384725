import { generateKeyPairSync } from 'node:crypto';
import { ManualClock } from '@fairlead/service-kit/clock';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { describe, expect, test } from 'vitest';
import { createFindVerificationKey } from './verification-keys.ts';

const { publicKey } = generateKeyPairSync('ed25519');

function setUp() {
  const clock = new ManualClock(new Date(0));
  const { log, lines } = captureLog();
  const state = { published: ['kid-1'], requests: 0, isAway: false };
  const find = createFindVerificationKey({
    async list() {
      state.requests += 1;
      await Promise.resolve();
      if (state.isAway) throw new Error('away');
      return new Map(state.published.map((kid) => [kid, publicKey]));
    },
    clock,
    log,
  });
  return { find, clock, state, lines };
}

describe('the keys that verify tokens', () => {
  test('are requested once by simultaneous callers', async () => {
    const { find, state } = setUp();
    expect(await Promise.all([find('kid-1'), find('kid-1'), find('other')])).toEqual([
      publicKey,
      publicKey,
      undefined,
    ]);
    expect(state.requests).toBe(1);
  });

  test('are requested again for an unknown one, at most every two seconds', async () => {
    const { find, clock, state } = setUp();
    await find('kid-1');
    state.published = ['kid-2', 'kid-1'];
    clock.advance(1_999);
    expect(await find('kid-2')).toBeUndefined();
    clock.advance(1);
    expect(await find('kid-2')).toBe(publicKey);
    expect(state.requests).toBe(2);
  });

  test('are refreshed by the use of a known one after 30 seconds, without a wait', async () => {
    const { find, clock, state } = setUp();
    await find('kid-1');
    clock.advance(29_999);
    await find('kid-1');
    expect(state.requests).toBe(1);
    clock.advance(1);
    state.published = ['kid-2'];
    expect(await find('kid-1')).toBe(publicKey);
    expect(state.requests).toBe(2);
    await expect.poll(() => find('kid-2')).toBe(publicKey);
    expect(await find('kid-1')).toBeUndefined();
  });

  test('are kept while identity is away, for as long as it is', async () => {
    const { find, clock, state, lines } = setUp();
    await find('kid-1');
    state.isAway = true;
    for (let minute = 0; minute < 60; minute += 1) {
      clock.advance(60_000);
      expect(await find('kid-1')).toBe(publicKey);
    }
    expect(state.requests).toBeGreaterThan(10);
    expect(lines()).toHaveLength(1);
  });

  test('are unavailable, not unknown, while identity is away, and are found once it is back', async () => {
    const { find, clock, state } = setUp();
    state.isAway = true;
    await expect(find('kid-1')).rejects.toThrow('away');
    clock.advance(1_000);
    await expect(find('kid-1')).rejects.toThrow('away');
    expect(state.requests).toBe(1);
    state.isAway = false;
    clock.advance(1_000);
    expect(await find('kid-1')).toBe(publicKey);
    expect(await find('other')).toBeUndefined();
  });
});
