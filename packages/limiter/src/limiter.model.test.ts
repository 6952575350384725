import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Cluster } from './testing/limiter-cluster.ts';
import type { Kind, TestLimits } from './testing/limiter-cluster.ts';
import { Trace, plan } from './testing/limiter-trace.ts';
import type { Admission } from './testing/limiter-trace.ts';
import { seededRandom } from '@fairlead/service-kit/testing/random';
import { largestLease } from './lease-state.ts';
import type { Decision } from './limit.ts';
import { PUBLISH_DELAY_MS } from './shared-counts.ts';
import { HOUR_MS, windowStart } from './windows.ts';

// Every schedule has a number, which a failure names. The tests run the production limiter; only time, bus and store are simulated, and the
// store passes the suite of the real one.

const KEY = 'acc_1';
const HOUR = 400_000 * HOUR_MS;

const PLENTY = 1_000_000;
const testLimits = (members: Partial<TestLimits>): TestLimits => ({
  burst: PLENTY,
  hourly: PLENTY,
  search: PLENTY,
  searchHourly: PLENTY,
  ...members,
});

const schedules = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

const isSameSecond = (aMs: number, bMs: number): boolean =>
  windowStart(aMs, 1_000) === windowStart(bMs, 1_000);

describe('one replica', () => {
  test('decides exactly as if it counted every call, and knows exactly what is left', async () => {
    let checked = 0;
    for (const seed of schedules(80)) {
      const random = seededRandom(seed);
      // Some schedules extend past the end of an hour.
      const startMs = HOUR + (random.chance(0.3) ? HOUR_MS - 4_000 : 0) + random.below(1_000);
      const cluster = new Cluster({
        startMs,
        replicas: 1,
        random,
        weather: { storeDelayMs: 20 * random.next() },
      });
      const limits = {
        burst: 1 + random.below(20),
        hourly: 1 + random.below(200),
        search: 1 + random.below(5),
        searchHourly: 1 + random.below(30),
      };
      const [replica] = cluster.alive;
      const counts = new Map<string, number>();
      const count = (window: string): number => counts.get(window) ?? 0;
      const wrong: unknown[] = [];
      const check = (kind: Kind, decision: Decision): void => {
        const nowMs = cluster.time.now().getTime();
        const [second, hour] = [Math.floor(nowMs / 1_000), Math.floor(nowMs / HOUR_MS)];
        const windows = [
          { name: 'burst', window: `burst ${second}`, limit: limits.burst, seconds: 1 },
          { name: 'hourly', window: `hourly ${hour}`, limit: limits.hourly, seconds: 3600 },
          { name: 'search', window: `search ${second}`, limit: limits.search, seconds: 1 },
          {
            name: 'searchHourly',
            window: `searchHourly ${hour}`,
            limit: limits.searchHourly,
            seconds: 3600,
          },
        ].slice(0, kind === 'search' ? 4 : 2);
        const tripped = windows.filter(({ window, limit }) => count(window) >= limit);
        if (tripped.length === 0) for (const { window } of windows) counts.set(window, count(window) + 1);
        const remaining = windows.map(({ window, limit }) => limit - count(window));
        const fullWindow = tripped.some(({ seconds }) => seconds === 3600) ? 'hour' : 'second';
        const expected =
          tripped.length === 0
            ? { outcome: 'admitted', remaining, atMs: nowMs }
            : { outcome: 'refused', fullWindow, remaining, atMs: nowMs };
        checked += 1;
        if (!isDeepStrictEqual(decision, expected)) wrong.push({ decision, expected });
      };
      for (let i = 0; i < 400; i += 1) {
        const kind = random.chance(0.2) ? 'search' : 'call';
        const run = (): void => replica?.call(KEY, limits, kind, (decision) => check(kind, decision));
        cluster.time.plan(random.below(8_000), run, false);
      }
      await cluster.time.runUntil(startMs + 9_000);
      expect(wrong, `schedule ${seed}`).toEqual([]);
    }
    expect(checked).toBe(80 * 400);
  });
});

describe.each([1, 3])('%i replicas', (replicas) => {
  test('never admit more than the hourly limits, whatever is slow, lost, down or killed', async () => {
    let [admitted, refused, failed] = [0, 0, 0];
    for (const seed of schedules(100)) {
      const random = seededRandom(seed);
      // Half of the schedules extend past the end of the hour.
      const startMs = HOUR + HOUR_MS - random.pick([1_000 + random.below(15_000), 20_000]);
      const cluster = new Cluster({
        startMs,
        replicas,
        random,
        weather: {
          busDelayMs: random.below(200),
          storeDelayMs: random.below(400),
          busLoss: random.next() / 2,
        },
      });
      const limits = testLimits({
        burst: 5 + random.below(100),
        hourly: 1 + random.below(400),
        search: PLENTY,
        searchHourly: 1 + random.below(100),
      });
      const trace = new Trace();
      const endMs = startMs + 16_000;
      plan({ key: KEY, cluster, random, trace, limits, endMs, count: 600 });
      for (let i = 0; i < 6; i += 1) {
        const fault = random.pick([
          () => void (cluster.weather.storeFailures = random.pick([0, 0.2, 0.5, 1])),
          () => {
            cluster.alive[0]?.kill();
            cluster.start();
          },
          () => cluster.alive.forEach((replica) => (random.chance(0.5) ? replica.cut() : replica.heal())),
        ]);
        cluster.time.plan(random.next() * 16_000, fault, false);
      }
      await cluster.time.runUntil(endMs + 8_000);
      expect(trace.most(HOUR_MS), `schedule ${seed}`).toBeLessThanOrEqual(limits.hourly);
      const searches = trace.most(HOUR_MS, ({ isSearch }) => isSearch);
      expect(searches, `schedule ${seed}`).toBeLessThanOrEqual(limits.searchHourly);
      admitted += trace.admissions.length;
      refused += trace.refusals;
      failed += trace.failures;
    }
    // Proves that the schedules exercise the intended cases.
    for (const many of [admitted, refused, failed]) expect(many).toBeGreaterThan(1_000);
  });

  test('admit at most the limit of a second and what the others admit within one publication', async () => {
    let overshoots = 0;
    for (const seed of schedules(80)) {
      const random = seededRandom(seed);
      const busDelayMs = random.below(60);
      const cluster = new Cluster({ startMs: HOUR, replicas, random, weather: { busDelayMs } });
      const limits = testLimits({
        burst: 1 + random.below(40),
        hourly: PLENTY,
        search: 1 + random.below(10),
        searchHourly: PLENTY,
      });
      // The replicas have to discover each other first.
      await cluster.time.runUntil(HOUR + 1_000);
      const trace = new Trace();
      plan({
        key: KEY,
        cluster,
        random,
        trace,
        limits,
        endMs: HOUR + 6_000,
        count: 600,
      });
      await cluster.time.runUntil(HOUR + 7_000);
      const delayMs = PUBLISH_DELAY_MS + busDelayMs;
      const isWithin = (those: readonly Admission[], limit: number): void => {
        for (const [at, { atMs, replica }] of those.entries()) {
          const unpublished = those
            .slice(0, at)
            .filter((it) => it.replica !== replica && it.atMs >= atMs - delayMs);
          const sameSecond = those.slice(0, at + 1).filter((it) => isSameSecond(it.atMs, atMs));
          const bound = limit + unpublished.filter((it) => isSameSecond(it.atMs, atMs)).length;
          expect(sameSecond.length, `schedule ${seed}`).toBeLessThanOrEqual(bound);
          if (sameSecond.length > limit) overshoots += 1;
        }
      };
      isWithin(trace.admissions, limits.burst);
      isWithin(
        trace.admissions.filter(({ isSearch }) => isSearch),
        limits.search,
      );
    }
    // One replica is exact; several are not, so their bound is above the limit.
    expect(overshoots > 0).toBe(replicas > 1);
  });

  test('admit no more than the limit of a second together once they know that the bus is unreachable', async () => {
    for (const seed of schedules(40)) {
      const random = seededRandom(seed);
      const cluster = new Cluster({ startMs: HOUR, replicas, random });
      const limit = 1 + random.below(60);
      const limits = testLimits({ burst: limit, hourly: PLENTY, search: PLENTY });
      await cluster.time.runUntil(HOUR + 1_000);
      // All replicas or some of them; in the latter case the remaining replicas continue and drop the others.
      const cut = random.chance(0.5) ? cluster.alive : cluster.alive.filter(() => random.chance(0.5));
      for (const replica of cut) replica.cut();
      const trace = new Trace();
      plan({
        key: KEY,
        cluster,
        random,
        trace,
        limits,
        endMs: HOUR + 9_000,
        count: 2_000,
      });
      await cluster.time.runUntil(HOUR + 9_000);
      const share = Math.max(1, Math.floor(limit / replicas));
      for (let second = 3; second < 9; second += 1) {
        const those = trace.within(1_000, HOUR + second * 1_000);
        const alone = those.filter((it) => cut.some(({ index }) => index === it.replica));
        expect(alone.length, `schedule ${seed}`).toBeLessThanOrEqual(cut.length * share);
        const all = cut.length === replicas ? Math.max(limit, replicas) : Number.POSITIVE_INFINITY;
        expect(those.length, `schedule ${seed}`).toBeLessThanOrEqual(all);
      }
      // Whatever is lost, no single replica admits more calls than the limit.
      expect(trace.most(1_000), `schedule ${seed}`).toBeLessThanOrEqual(replicas * limit);
      for (const replica of cut) replica.heal();
      const healed = new Trace();
      await cluster.time.runUntil(HOUR + 11_000);
      plan({
        key: KEY,
        cluster,
        random,
        trace: healed,
        limits,
        endMs: HOUR + 14_000,
        count: 500,
      });
      await cluster.time.runUntil(HOUR + 14_000);
      // The replicas are connected again: none of them is restricted to its share any more.
      expect(healed.most(1_000), `schedule ${seed}`).toBeGreaterThanOrEqual(Math.min(limit, 60));
    }
  });

  test('a sole client that comes back in the next window is never refused twice in a row', async () => {
    let refusals = 0;
    for (const seed of schedules(150)) {
      const random = seededRandom(seed);
      const startMs = HOUR + random.below(HOUR_MS);
      const cluster = new Cluster({
        startMs,
        replicas,
        random,
        weather: {
          busDelayMs: random.below(100),
          storeDelayMs: random.below(60),
          busLoss: random.next() / 3,
        },
      });
      const limits = testLimits({
        burst: 1 + random.below(random.pick([4, 30])),
        hourly: 1 + random.below(random.pick([20, 300])),
        search: 1 + random.below(4),
        searchHourly: 1 + random.below(random.pick([10, 200])),
      });
      let refused: Kind | undefined;
      const end = new AbortController();
      const pauseMs = random.pick([2, 20, 200]);
      const twice: number[] = [];
      const next = (): void => {
        const replica = cluster.alive[random.below(replicas)];
        // Refused calls are tried again.
        const kind = refused ?? (random.chance(0.3) ? 'search' : 'call');
        replica?.call(KEY, limits, kind, (decision) => {
          const isRefused = decision.outcome === 'refused';
          if (isRefused && refused !== undefined) twice.push(cluster.time.nowMs - startMs);
          refused = isRefused ? kind : undefined;
          refusals += isRefused ? 1 : 0;
          // Another test shows that the next hour begins with new counts.
          if (isRefused && decision.fullWindow === 'hour') end.abort();
          else cluster.time.plan((isRefused ? 1_000 : 0) + random.next() * pauseMs, next, false);
        });
      };
      cluster.time.plan(random.next() * 3_000, next, false);
      if (random.chance(0.3)) cluster.time.plan(random.next() * 20_000, () => cluster.alive[0]?.cut(), false);
      for (let second = 1; second <= 60 && !end.signal.aborted; second += 1)
        await cluster.time.runUntil(startMs + second * 1_000);
      expect(twice, `schedule ${seed}`).toEqual([]);
    }
    expect(refusals).toBeGreaterThan(150);
  });

  test('a refused call consumes nothing: the store counts the admitted calls, once leases are returned', async () => {
    for (const seed of schedules(60)) {
      const random = seededRandom(seed);
      const cluster = new Cluster({
        startMs: HOUR,
        replicas,
        random,
        weather: { storeDelayMs: random.below(30) },
      });
      const limits = testLimits({
        burst: 1 + random.below(30),
        hourly: 1 + random.below(400),
        search: 1 + random.below(6),
        searchHourly: 1 + random.below(40),
      });
      const trace = new Trace();
      plan({
        key: KEY,
        cluster,
        random,
        trace,
        limits,
        endMs: HOUR + 8_000,
        count: 500,
        searches: 0.4,
      });
      await cluster.time.runUntil(HOUR + 8_100);
      if (random.chance(0.5)) await cluster.close();
      else await cluster.time.runUntil(HOUR + 20_000);
      expect(trace.failures).toBe(0);
      const searches = trace.admissions.filter(({ isSearch }) => isSearch).length;
      const used = (name: string): number => cluster.store.used({ key: KEY, name, startsAt: HOUR });
      expect([used('hourly'), used('searchHourly')], `schedule ${seed}`).toEqual([
        trace.admissions.length,
        searches,
      ]);
    }
  });

  test('admit nearly all of an hour before they refuse, and all of it in the end', async () => {
    for (const seed of schedules(40)) {
      const random = seededRandom(seed);
      const cluster = new Cluster({
        startMs: HOUR,
        replicas,
        random,
        weather: { storeDelayMs: random.below(10) },
      });
      const hourly = 1 + random.below(random.pick([30, 3_000]));
      const limits = testLimits({
        burst: PLENTY,
        hourly,
        search: PLENTY,
        searchHourly: PLENTY,
      });
      const trace = new Trace();
      let admittedBeforeRefusal: number | undefined;
      const everyMs = 8_000 / hourly;
      for (let i = 0; i < 4 * hourly; i += 1) {
        const run = (): void => {
          const replica = cluster.alive[random.below(random.chance(0.2) ? 1 : replicas)];
          replica?.call(KEY, limits, 'call', (decision) => {
            trace.note(cluster, replica, 'call', decision);
            if (trace.refusals > 0) admittedBeforeRefusal ??= trace.admissions.length;
          });
        };
        cluster.time.plan(i * everyMs, run, false);
      }
      await cluster.time.runUntil(HOUR + 40_000);
      const held = (replicas - 1) * largestLease(hourly);
      expect(admittedBeforeRefusal ?? 0, `schedule ${seed}`).toBeGreaterThanOrEqual(hourly - held);
      expect(trace.admissions.length, `schedule ${seed}`).toBe(hourly);
    }
  });
});
