import { ManualClock } from '@fairlead/service-kit/clock';
import { describe, expect, test } from 'vitest';
import { attemptBucketsSuite } from './testing/attempt-buckets-suite.ts';
import { memoryAttemptBuckets } from './testing/memory-attempt-buckets.ts';
import { createThrottle } from './throttle.ts';
import type { SignInAttempt, Throttle } from './throttle.ts';

describe('attempts in memory', () => {
  attemptBucketsSuite((clock) => memoryAttemptBuckets({ clock }));
});

function setUp(): { readonly clock: ManualClock; readonly throttle: Throttle } {
  const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
  return { clock, throttle: createThrottle(memoryAttemptBuckets({ clock })) };
}

const attempt = (o: Partial<SignInAttempt> = {}): SignInAttempt => ({
  email: 'olga@fairlead.example',
  address: '203.0.113.1',
  knownBrowser: undefined,
  ...o,
});

/** Number of failures admitted in a row, and how long the next attempt then has to wait. */
async function exhaust(
  throttle: Throttle,
  next: (index: number) => SignInAttempt,
): Promise<{ readonly admitted: number; readonly retryAfterSeconds: number }> {
  for (let admitted = 0; ; admitted += 1) {
    const admission = await throttle.signIn(next(admitted));
    if (!admission.isAdmitted) return { admitted, retryAfterSeconds: admission.retryAfterSeconds };
  }
}

describe('sign-in attempts', () => {
  test('a few slips, then one attempt in two minutes', async () => {
    const { throttle } = setUp();
    expect(await exhaust(throttle, () => attempt())).toEqual({ admitted: 6, retryAfterSeconds: 120 });
  });

  test('a successful sign-in resets the count', async () => {
    const { throttle } = setUp();
    for (let slips = 0; slips < 5; slips += 1) await throttle.signIn(attempt());
    const admission = await throttle.signIn(attempt());
    if (!admission.isAdmitted) throw new Error('refused');
    await admission.succeeded();
    expect((await exhaust(throttle, () => attempt())).admitted).toBe(6);
  });

  test('one place gets nowhere with a list of people', async () => {
    const { throttle } = setUp();
    const list = (index: number) => attempt({ email: `user-${index}@fairlead.example` });
    expect(await exhaust(throttle, list)).toEqual({ admitted: 30, retryAfterSeconds: 10 });
  });

  test('a sign-in of one’s own does not pay for guesses at others', async () => {
    const { throttle } = setUp();
    let guesses = 0;
    for (let round = 0; round < 200; round += 1) {
      const own = await throttle.signIn(attempt({ email: 'mallory@fairlead.example' }));
      if (own.isAdmitted) await own.succeeded();
      const guess = await throttle.signIn(attempt({ email: `user-${round}@fairlead.example` }));
      if (guess.isAdmitted) guesses += 1;
    }
    expect(guesses).toBe(30);
  });

  test('guesses at one person from many places are slowed down together', async () => {
    const { throttle } = setUp();
    const places = (index: number) => attempt({ address: `198.51.100.${index}` });
    expect(await exhaust(throttle, places)).toEqual({ admitted: 30, retryAfterSeconds: 20 });
  });

  test('a stranger who never stops does not keep the owner out', async () => {
    const { clock, throttle } = setUp();
    const stranger = { address: '198.51.100.7' };
    for (let second = 0; second < 3600; second += 1) {
      await throttle.signIn(attempt(stranger));
      clock.advance(1000);
    }
    expect((await throttle.signIn(attempt())).isAdmitted).toBe(true);
  });

  test('not even many strangers delay a browser that the owner has signed in with before', async () => {
    const { throttle } = setUp();
    await exhaust(throttle, (index) => attempt({ address: `198.51.100.${index}` }));
    expect((await throttle.signIn(attempt())).isAdmitted).toBe(false);
    expect((await throttle.signIn(attempt({ knownBrowser: 'b1' }))).isAdmitted).toBe(true);
  });

  test('a known browser is slowed down by its own failures', async () => {
    const { throttle } = setUp();
    const known = await exhaust(throttle, () => attempt({ knownBrowser: 'b1' }));
    expect(known).toEqual({ admitted: 10, retryAfterSeconds: 60 });
  });

  test('a refused attempt uses up nothing elsewhere', async () => {
    const { throttle } = setUp();
    for (let tries = 0; tries < 100; tries += 1) await throttle.signIn(attempt());
    const others = (index: number) => attempt({ email: `user-${index}@fairlead.example` });
    expect((await exhaust(throttle, others)).admitted).toBe(24);
  });

  test.each([
    ['an IPv6 network', '2001:db8:1:2::1', '2001:db8:1:2:aaaa:bbbb:cccc:dddd'],
    ['an IPv6 network with zeros', '2001:db8::1', '2001:db8:0:0:1::2'],
    ['an IPv4 address written as IPv6', '::ffff:203.0.113.9', '203.0.113.9'],
  ])('%s is one place', async (_name, one, same) => {
    const { throttle } = setUp();
    await exhaust(throttle, () => attempt({ address: one }));
    expect((await throttle.signIn(attempt({ address: same }))).isAdmitted).toBe(false);
  });

  test('neighbouring IPv6 networks are two places', async () => {
    const { throttle } = setUp();
    await exhaust(throttle, () => attempt({ address: '2001:db8:1:2::1' }));
    expect((await throttle.signIn(attempt({ address: '2001:db8:1:3::1' }))).isAdmitted).toBe(true);
  });
});

describe('device codes', () => {
  test('ten guesses, then one in half a minute; a code of one’s own does not pay for guesses', async () => {
    const { throttle } = setUp();
    for (let guess = 0; guess < 9; guess += 1) await throttle.userCode('203.0.113.1');
    const own = await throttle.userCode('203.0.113.1');
    if (!own.isAdmitted) throw new Error('refused');
    await own.succeeded();
    expect((await throttle.userCode('203.0.113.1')).isAdmitted).toBe(true);
    expect(await throttle.userCode('203.0.113.1')).toEqual({ isAdmitted: false, retryAfterSeconds: 30 });
    expect((await throttle.userCode('203.0.113.2')).isAdmitted).toBe(true);
  });
});
