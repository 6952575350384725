import { describe, expect, test } from 'vitest';
import { Cluster, limitsOf } from './testing/limiter-cluster.ts';
import type { Kind, TestLimits, Weather } from './testing/limiter-cluster.ts';
import { seededRandom } from '@fairlead/service-kit/testing/random';
import type { Decision } from './limit.ts';
import { HOUR_MS } from './windows.ts';

const KEY = 'acc_1';
const HOUR = 400_000 * HOUR_MS;
const PLENTY = 1_000_000;
const DEFAULTS: TestLimits = { burst: 50, hourly: 20_000, search: 5, searchHourly: 1_000 };
const testLimits = (members: Partial<TestLimits>): TestLimits => ({ ...DEFAULTS, ...members });
const WIDE = testLimits({ burst: PLENTY, search: PLENTY, searchHourly: PLENTY });

function start(o: { replicas?: number; atMs?: number; weather?: Partial<Weather> } = {}): Cluster {
  const { replicas = 1, atMs = HOUR, weather = {} } = o;
  return new Cluster({ startMs: atMs, replicas, random: seededRandom(7), weather });
}

/** The decisions on `count` calls, concurrent or `everyMs` apart if that is given. */
async function calls(
  cluster: Cluster,
  count: number,
  limits: TestLimits,
  o: { everyMs?: number; kind?: Kind; replica?: number; forMs?: number } = {},
): Promise<readonly Decision[]> {
  const decisions: Decision[] = [];
  const { everyMs = 0, kind = 'call', replica = 0, forMs = count * everyMs + 300 } = o;
  const call = (): void =>
    cluster.replicas[replica]?.call(KEY, limits, kind, (decision) => decisions.push(decision));
  for (let i = 0; i < count; i += 1) cluster.time.plan(i * everyMs, call, false);
  await cluster.time.runUntil(cluster.time.nowMs + forMs);
  return decisions;
}

const counted = (decisions: readonly Decision[], outcome: Decision['outcome']): number =>
  decisions.filter((decision) => decision.outcome === outcome).length;
const admitted = (decisions: readonly Decision[]): number => counted(decisions, 'admitted');
const unavailable = (decisions: readonly Decision[]): number => counted(decisions, 'unavailable');

/** Counts the requests to the store from now on. */
function watchStore({ store }: Cluster): { requests: number } {
  const watched = { requests: 0 };
  const fillOrder = store.fillOrder.bind(store);
  store.fillOrder = (window, order) => {
    watched.requests += 1;
    return fillOrder(window, order);
  };
  return watched;
}

const used = (cluster: Cluster): number => cluster.store.used({ key: KEY, name: 'hourly', startsAt: HOUR });

const stateOf = ({ replicas }: Cluster, replica = 0) => {
  const { state } = replicas[replica]?.limiter ?? {};
  return {
    isBurstDegraded: state?.isBurstDegraded(),
    isStoreAway: state?.isStoreAway(),
    knownReplicas: state?.knownReplicas(),
    knownKeys: state?.knownKeys(),
  };
};

describe('a decision', () => {
  test('reports what is left of each limit of the call, in their order', async () => {
    const cluster = start({ atMs: HOUR + 500 });
    expect(await calls(cluster, 1, DEFAULTS)).toMatchObject([{ remaining: [49, 19_999] }]);
    expect(await calls(cluster, 1, DEFAULTS, { kind: 'search' })).toMatchObject([
      { remaining: [48, 19_998, 4, 999] },
    ]);
  });

  test('peeking at what is left counts nothing', async () => {
    const cluster = start();
    const peek = () => cluster.replicas[0]?.limiter.peek(KEY, limitsOf(DEFAULTS, 'call'));
    expect(peek()).toMatchObject({ outcome: 'admitted', remaining: [50, 20_000] });
    await calls(cluster, 3, DEFAULTS);
    for (let i = 0; i < 100; i += 1) peek();
    expect(peek()).toMatchObject({ remaining: [47, 19_997] });
    expect(admitted(await calls(cluster, 47, DEFAULTS))).toBe(47);
  });

  test('follows limits that change from the call on that brings them', async () => {
    const cluster = start();
    await calls(cluster, 1, DEFAULTS);
    expect(await calls(cluster, 1, testLimits({ burst: 7, hourly: 70 }))).toMatchObject([
      { remaining: [5, 68] },
    ]);
  });

  test('counts under limits of one window only', async () => {
    const cluster = start();
    const admit = async (window: 'second' | 'hour') =>
      await cluster.replicas[0]?.limiter.admit(KEY, [{ name: `per-${window}`, window, max: 1 }]);
    expect(await admit('second')).toMatchObject({ outcome: 'admitted' });
    expect(await admit('second')).toMatchObject({ outcome: 'refused', fullWindow: 'second', remaining: [0] });
    const taken = [admit('hour'), admit('hour')];
    await cluster.time.runUntil(HOUR + 100);
    expect(await Promise.all(taken)).toMatchObject([
      { outcome: 'admitted' },
      { outcome: 'refused', fullWindow: 'hour', remaining: [0] },
    ]);
  });
});

describe('the hour', () => {
  test('calls rarely cause a request to the store, and rarely wait for one', async () => {
    const cluster = start({ weather: { storeDelayMs: 10 } });
    await calls(cluster, 100, WIDE, { everyMs: 20 });
    const store = watchStore(cluster);
    let waited = 0;
    const call = (): void => {
      const verdict = cluster.replicas[0]?.limiter.admit(KEY, limitsOf(WIDE, 'call'));
      if (verdict instanceof Promise) waited += 1;
    };
    for (let i = 0; i < 3_000; i += 1) cluster.time.plan(i * 20, call, false);
    await cluster.time.runUntil(cluster.time.nowMs + 60_000);
    expect(waited).toBe(0);
    expect(store.requests).toBeLessThan(40);
  });

  test('calls that come at once wait together', async () => {
    const cluster = start({ weather: { storeDelayMs: 10 } });
    await calls(cluster, 10, { ...WIDE, hourly: 100 }, { everyMs: 30 });
    const store = watchStore(cluster);
    expect(admitted(await calls(cluster, 80, { ...WIDE, hourly: 100 }, { forMs: 100 }))).toBe(80);
    expect(store.requests).toBeLessThan(6);
  });

  test('a full hour is refused from memory, and checked less and less often', async () => {
    const cluster = start();
    await calls(cluster, 10, testLimits({ hourly: 10 }), { everyMs: 10 });
    const store = watchStore(cluster);
    const outcomes = await calls(cluster, 20_000, testLimits({ hourly: 10 }), { everyMs: 5 });
    expect(outcomes).toHaveLength(20_000);
    expect(
      outcomes.every(
        ({ outcome, ...of }) => outcome === 'refused' && 'fullWindow' in of && of.fullWindow === 'hour',
      ),
    ).toBe(true);
    expect(store.requests).toBeLessThan(16);
  });

  test('calls that another replica returns to a full hour are found within seconds', async () => {
    const cluster = start({ replicas: 2 });
    const limits = { ...WIDE, hourly: 1_000 };
    // Each key makes many calls for a while, so that the replica holds a lease for it.
    await calls(cluster, 100, limits, { everyMs: 2, replica: 1 });
    expect(admitted(await calls(cluster, 2_000, limits, { everyMs: 1 }))).toBeLessThan(900);
    expect(admitted(await calls(cluster, 2_000, limits, { everyMs: 10 }))).toBeGreaterThan(0);
    expect(used(cluster)).toBe(1_000);
  });

  test('an idle lease goes back in three seconds, and an idle key is dropped', async () => {
    const cluster = start();
    await calls(cluster, 200, WIDE, { everyMs: 10 });
    expect(used(cluster)).toBeGreaterThan(200);
    await cluster.time.runUntil(cluster.time.nowMs + 5_000);
    expect(used(cluster)).toBe(200);
    expect(stateOf(cluster).knownKeys).toBe(1);
    await cluster.time.runUntil(cluster.time.nowMs + 62_000);
    expect(stateOf(cluster).knownKeys).toBe(0);
  });

  test('a crash costs at most a hundredth of the hour', async () => {
    const cluster = start();
    for (let crashes = 1; crashes <= 5; crashes += 1) {
      await calls(cluster, 1_000, { ...WIDE, hourly: 20_000 }, { everyMs: 2, replica: crashes - 1 });
      cluster.replicas[crashes - 1]?.kill();
      cluster.start();
      expect(used(cluster) - crashes * 1_000).toBeLessThanOrEqual(crashes * 200);
    }
  });

  test('a stop gives everything back', async () => {
    const cluster = start();
    await calls(cluster, 300, WIDE, { everyMs: 5 });
    expect(used(cluster)).toBeGreaterThan(300);
    await cluster.close();
    expect(used(cluster)).toBe(300);
  });

  test('a stop while calls wait admits them first', async () => {
    for (const count of [1, 2, 5, 20]) {
      const cluster = start({ weather: { storeDelayMs: 50 } });
      const outcomes: Decision[] = [];
      for (let i = 0; i < count; i += 1) {
        cluster.replicas[0]?.call(KEY, { ...WIDE, hourly: 2_000 }, 'call', (it) => outcomes.push(it));
      }
      await cluster.close();
      expect([admitted(outcomes), used(cluster)]).toEqual([count, count]);
    }
  });

  test('a limit that is lowered holds from the next call on, whatever is leased', async () => {
    const cluster = start();
    await calls(cluster, 300, { ...WIDE, hourly: 20_000 }, { everyMs: 5 });
    expect(used(cluster)).toBeGreaterThan(305);
    expect(admitted(await calls(cluster, 50, { ...WIDE, hourly: 305 }, { everyMs: 5 }))).toBe(5);
    expect(used(cluster)).toBe(305);
  });

  test('a limit that is raised admits at once what was refused', async () => {
    const cluster = start();
    expect(admitted(await calls(cluster, 20, testLimits({ hourly: 10 }), { everyMs: 5 }))).toBe(10);
    expect(admitted(await calls(cluster, 20, testLimits({ hourly: 15 }), { everyMs: 5 }))).toBe(5);
  });

  test('starts again with the next', async () => {
    const cluster = start({ atMs: HOUR + HOUR_MS - 1_000 });
    const outcomes = await calls(cluster, 40, testLimits({ hourly: 10 }), { everyMs: 50 });
    const both = [...Array.from({ length: 10 }, () => 1), ...Array.from({ length: 10 }, () => 0)];
    expect(outcomes.map((outcome) => admitted([outcome]))).toEqual([...both, ...both]);
  });

  test('a grant for an hour that has ended is not used in the next', async () => {
    const cluster = start({ atMs: HOUR + HOUR_MS - 1, weather: { storeDelayMs: 60 } });
    const before = await calls(cluster, 10, { ...WIDE, hourly: 5 }, { forMs: 1_000 });
    const after = await calls(cluster, 10, { ...WIDE, hourly: 5 });
    expect([admitted(before), admitted(after)]).toEqual([5, 0]);
  });
});

describe('an unreachable store', () => {
  test('calls are admitted until the lease is spent, then unavailable at once, until the store is back', async () => {
    const cluster = start();
    const limits = { ...WIDE, hourly: 20_000 };
    await calls(cluster, 400, limits, { everyMs: 5 });
    const held = used(cluster) - 400;
    expect(held).toBeGreaterThan(100);
    cluster.weather.storeFailures = 1;
    cluster.weather.storeFailure = 'before';
    const store = watchStore(cluster);
    const outcomes = await calls(cluster, 2_000, limits, { everyMs: 5 });
    expect([admitted(outcomes), unavailable(outcomes)]).toEqual([held, 2_000 - held]);
    expect(unavailable(outcomes.slice(0, held))).toBe(0);
    expect(stateOf(cluster).isStoreAway).toBe(true);
    expect(store.requests).toBe(0);
    cluster.weather.storeFailures = 0;
    await cluster.time.runUntil(cluster.time.nowMs + 2_000);
    expect(admitted(await calls(cluster, 100, limits, { everyMs: 5 }))).toBe(100);
    expect(stateOf(cluster).isStoreAway).toBe(false);
  });

  test('that hangs is given up after five seconds, and what it granted late is not lost', async () => {
    const cluster = start();
    cluster.weather.storeFailures = 1;
    cluster.weather.storeFailure = 'hangs';
    expect(unavailable(await calls(cluster, 3, WIDE, { forMs: 5_500 }))).toBe(3);
    cluster.weather.storeFailures = 0;
    await cluster.time.runUntil(HOUR + 9_000);
    expect(used(cluster)).toBe(1);
    expect(admitted(await calls(cluster, 3, WIDE))).toBe(3);
    await cluster.close();
    expect(used(cluster)).toBe(3);
  });

  test('one key after the other tries it, the others are unavailable at once', async () => {
    const cluster = start();
    cluster.weather.storeFailures = 1;
    cluster.weather.storeFailure = 'hangs';
    await calls(cluster, 1, WIDE, { forMs: 5_400 });
    const store = watchStore(cluster);
    const ends: number[] = [];
    const startedAt = cluster.time.nowMs;
    for (let i = 0; i < 50; i += 1) {
      cluster.replicas[0]?.call(`acc_${i}`, WIDE, 'call', () => ends.push(cluster.time.nowMs - startedAt));
    }
    await cluster.time.runUntil(startedAt + 6_000);
    expect(ends.filter((end) => end === 0)).toHaveLength(49);
    expect(store.requests).toBe(1);
  });

  test('a full hour stays refused', async () => {
    const cluster = start();
    await calls(cluster, 20, testLimits({ hourly: 10 }), { everyMs: 5 });
    cluster.weather.storeFailures = 1;
    const outcomes = await calls(cluster, 100, testLimits({ hourly: 10 }), { everyMs: 200 });
    expect(outcomes).toMatchObject(
      Array.from({ length: 100 }, () => ({ outcome: 'refused', fullWindow: 'hour' })),
    );
  });
});

describe('replicas', () => {
  test('know each other within a second, and drop a stopped one at once and a dead one in seconds', async () => {
    const cluster = start({ replicas: 4 });
    await cluster.time.runUntil(HOUR + 1_200);
    expect(stateOf(cluster)).toMatchObject({ knownReplicas: 4, isBurstDegraded: false });
    void cluster.replicas[3]?.limiter.close();
    await cluster.time.runUntil(HOUR + 1_300);
    expect(stateOf(cluster).knownReplicas).toBe(3);
    cluster.replicas[2]?.kill();
    await cluster.time.runUntil(HOUR + 3_000);
    expect(stateOf(cluster).knownReplicas).toBe(3);
    await cluster.time.runUntil(HOUR + 5_000);
    expect(stateOf(cluster).knownReplicas).toBe(2);
  });

  test('one that is cut off keeps the number of replicas for as long as it lasts, and admits its share', async () => {
    const cluster = start({ replicas: 3 });
    await cluster.time.runUntil(HOUR + 1_000);
    cluster.replicas[0]?.cut();
    await cluster.time.runUntil(HOUR + 60_000);
    expect(stateOf(cluster)).toMatchObject({ knownReplicas: 3, isBurstDegraded: true });
    expect(stateOf(cluster, 1)).toMatchObject({ knownReplicas: 2, isBurstDegraded: false });
    const limits = testLimits({ burst: 50, search: 2 });
    expect(admitted(await calls(cluster, 100, limits))).toBe(16);
    await cluster.time.runUntil(HOUR + 62_000);
    // At least one call, or else a key with a small limit could not call at all.
    expect(admitted(await calls(cluster, 100, limits, { kind: 'search' }))).toBe(1);
    cluster.replicas[0]?.heal();
    await cluster.time.runUntil(HOUR + 64_000);
    expect(stateOf(cluster)).toMatchObject({ knownReplicas: 3, isBurstDegraded: false });
    expect(admitted(await calls(cluster, 100, limits))).toBe(50);
  });

  test('one that was cut off publishes afterwards what the others missed', async () => {
    const cluster = start({ replicas: 2 });
    const limits = testLimits({ burst: 20 });
    await cluster.time.runUntil(HOUR + 1_010);
    cluster.replicas[0]?.cut();
    expect(admitted(await calls(cluster, 15, limits, { forMs: 100 }))).toBe(15);
    cluster.replicas[0]?.heal();
    await cluster.time.runUntil(HOUR + 1_600);
    expect(admitted(await calls(cluster, 20, limits, { replica: 1 }))).toBe(5);
  });

  test('a new one receives what the others admitted before it started', async () => {
    const cluster = start();
    const limits = testLimits({ burst: 20 });
    expect(admitted(await calls(cluster, 15, limits))).toBe(15);
    cluster.start();
    await cluster.time.runUntil(HOUR + 500);
    expect(admitted(await calls(cluster, 20, limits, { replica: 1 }))).toBe(5);
  });
});
