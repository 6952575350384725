import { ManualClock } from '@fairlead/service-kit/clock';
import { createRequestContext } from '@fairlead/service-kit/context/context';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { expect, test } from 'vitest';
import { createSourceFollower } from './source-follower.ts';
import type { FetchResult } from './use-cases/fetch-events.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const away = (): Promise<FetchResult> => Promise.reject(new Error('away'));

function setUp() {
  const clock = new ManualClock(NOW);
  const { log, lines } = captureLog();
  let fetch: () => Promise<FetchResult> = away;
  let fetches = 0;
  let releases = 0;
  const follower = createSourceFollower({
    source: 'identity',
    fetch: () => {
      fetches += 1;
      return fetch();
    },
    lease: {
      release() {
        releases += 1;
        return Promise.reject(new Error('away'));
      },
    },
    clock,
    log,
  });
  return {
    follower,
    clock,
    messages: () => lines().map(({ msg }) => msg),
    counts: () => ({ fetches, releases }),
    succeed: (isHolder = true) => {
      fetch = () => Promise.resolve({ isHolder, completeAt: clock.now() });
    },
    fail: () => {
      fetch = away;
    },
    run: (signal = new AbortController().signal) => {
      const caller = { kind: 'service', service: 'gateway' } as const;
      return follower.run(createRequestContext({ requestId: 'r', caller, signal, log }));
    },
  };
}

test('failures in a row are retried ever less often, but at least every 10 seconds, and succeed again at once', async () => {
  const { clock, run, counts, succeed, fail } = setUp();
  /** Runs once per second, and returns the seconds in which it fetched. */
  const fetchedIn = async (seconds: number): Promise<number[]> => {
    const found: number[] = [];
    for (let second = 0; second < seconds; second += 1) {
      const { fetches } = counts();
      await run();
      if (counts().fetches > fetches) found.push(second);
      clock.advance(1_000);
    }
    return found;
  };
  expect(await fetchedIn(35)).toEqual([0, 2, 6, 14, 24, 34]);
  clock.advance(9_000);
  succeed();
  expect(await fetchedIn(3)).toEqual([0, 1, 2]);
  fail();
  expect(await fetchedIn(3)).toEqual([0, 2]);
});

test('an outage is logged once, and its end', async () => {
  const { clock, run, messages, succeed } = setUp();
  for (let second = 0; second < 60; second += 1) {
    await run();
    clock.advance(1_000);
  }
  clock.advance(10_000);
  succeed(false);
  await run();
  expect(messages()).toEqual(['audit events cannot be fetched; trying again']);
  succeed();
  await run();
  await run();
  expect(messages()).toEqual([
    'audit events cannot be fetched; trying again',
    'audit events are fetched again',
  ]);
});

test('a failure releases the lease to another replica, which may reach the service', async () => {
  const { run, counts, succeed, clock } = setUp();
  await run();
  expect(counts().releases).toBe(1);
  clock.advance(2_000);
  succeed();
  await run();
  expect(counts().releases).toBe(1);
});

test('the lag is the time since nothing was left, whichever replica fetched', async () => {
  const { follower, clock, run, succeed } = setUp();
  clock.advance(3_000);
  expect(follower.lagMs()).toBe(3_000);
  succeed(false);
  await run();
  expect(follower.lagMs()).toBe(0);
  clock.advance(500);
  expect(follower.lagMs()).toBe(500);
});

test('a stop is no failure', async () => {
  const { run, counts, messages } = setUp();
  await run(AbortSignal.abort());
  await run();
  expect({ ...counts(), messages: messages().length }).toEqual({ fetches: 2, releases: 1, messages: 1 });
});
