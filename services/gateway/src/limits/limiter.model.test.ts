import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { DEFAULT_BUDGETS } from '../identity/domain/budgets.ts';
import type { Budgets } from '../identity/domain/budgets.ts';
import { ANNOUNCE_MS } from './burst-sharing.ts';
import { largestLease } from './domain/lease.ts';
import { HOUR_MS, windowStart } from './domain/windows.ts';
import { Cluster } from './testing/cluster.ts';
import type { Outcome } from './testing/cluster.ts';
import { seededRandom } from './testing/random.ts';
import { Trace, plan } from './testing/trace.ts';
import type { Admission } from './testing/trace.ts';

// Every schedule has a number; a failure names it. What is run is the limiter of production; only time, bus and store are
// not, and the store passes the suite of the real one.

const ACCOUNT = 'acc_1';
const HOUR = 400_000 * HOUR_MS;

const budgetsOf = (members: Partial<Budgets>): Budgets => ({ ...DEFAULT_BUDGETS, ...members });
const PLENTY = 1_000_000;

const schedules = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

const isSameSecond = (aMs: number, bMs: number): boolean =>
  windowStart(aMs, 1_000) === windowStart(bMs, 1_000);

describe('one replica', () => {
  test('decides exactly as one who counts every call, and says exactly what is left', async () => {
    let checked = 0;
    for (const seed of schedules(80)) {
      const random = seededRandom(seed);
      // Some schedules reach over the end of an hour.
      const startMs = HOUR + (random.chance(0.3) ? HOUR_MS - 4_000 : 0) + random.below(1_000);
      const cluster = new Cluster({
        startMs,
        replicas: 1,
        random,
        weather: { storeDelayMs: 20 * random.next() },
      });
      const limits = {
        burstPerSecond: 1 + random.below(20),
        hourly: 1 + random.below(200),
        searchPerSecond: 1 + random.below(5),
        searchPerHour: 1 + random.below(30),
      };
      const budgets = budgetsOf(limits);
      const [replica] = cluster.alive;
      const counts = new Map<string, number>();
      const count = (window: string): number => counts.get(window) ?? 0;
      const wrong: unknown[] = [];
      const check = (kind: 'call' | 'search', outcome: Outcome): void => {
        const { nowMs } = cluster.time;
        const [second, hour] = [Math.floor(nowMs / 1_000), Math.floor(nowMs / HOUR_MS)];
        const windows = [
          { name: 'burst', window: `burst ${second}`, limit: limits.burstPerSecond, seconds: 1 },
          { name: 'hourly', window: `hourly ${hour}`, limit: limits.hourly, seconds: 3600 },
          { name: 'search', window: `search ${second}`, limit: limits.searchPerSecond, seconds: 1 },
          {
            name: 'searchHourly',
            window: `searchHourly ${hour}`,
            limit: limits.searchPerHour,
            seconds: 3600,
          },
        ].slice(0, kind === 'search' ? 4 : 2);
        const tripped = windows.filter(({ window, limit }) => count(window) >= limit);
        if (tripped.length === 0) for (const { window } of windows) counts.set(window, count(window) + 1);
        const left = Math.ceil((HOUR_MS - (nowMs % HOUR_MS)) / 1_000);
        const expected = {
          isAllowed: tripped.length === 0,
          retryAfterSeconds: Math.max(0, ...tripped.map(({ seconds }) => seconds)),
          rateLimit: windows
            .map(({ name, window, limit, seconds }) => {
              return `"${name}";r=${limit - count(window)};t=${seconds === 1 ? 1 : left}`;
            })
            .join(', '),
          policy: windows.map(({ name, limit, seconds }) => `"${name}";q=${limit};w=${seconds}`).join(', '),
        };
        checked += 1;
        if (!isDeepStrictEqual(outcome, expected)) wrong.push({ outcome, expected });
      };
      for (let i = 0; i < 400; i += 1) {
        const kind = random.chance(0.2) ? 'search' : 'call';
        const run = (): void => replica?.call(ACCOUNT, budgets, kind, (outcome) => check(kind, outcome));
        cluster.time.plan(random.below(8_000), run, false);
      }
      await cluster.time.runUntil(startMs + 9_000);
      expect(wrong, `schedule ${seed}`).toEqual([]);
    }
    expect(checked).toBe(80 * 400);
  });
});

describe.each([1, 3])('%i replicas', (replicas) => {
  test('never let in more than the hourly budgets, whatever is slow, lost, away or killed', async () => {
    let [admitted, refused, failed] = [0, 0, 0];
    for (const seed of schedules(100)) {
      const random = seededRandom(seed);
      // Half of the schedules reach over the end of the hour.
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
      const budgets = budgetsOf({
        burstPerSecond: 5 + random.below(100),
        hourly: 1 + random.below(400),
        searchPerSecond: PLENTY,
        searchPerHour: 1 + random.below(100),
      });
      const trace = new Trace();
      const endMs = startMs + 16_000;
      plan({ accountId: ACCOUNT, cluster, random, trace, budgets: () => budgets, endMs, count: 600 });
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
      expect(trace.most(HOUR_MS), `schedule ${seed}`).toBeLessThanOrEqual(budgets.hourly);
      const searches = trace.most(HOUR_MS, ({ isSearch }) => isSearch);
      expect(searches, `schedule ${seed}`).toBeLessThanOrEqual(budgets.searchPerHour);
      admitted += trace.admissions.length;
      refused += trace.refusals;
      failed += trace.failures;
    }
    // The schedules try what they are meant to.
    for (const many of [admitted, refused, failed]) expect(many).toBeGreaterThan(1_000);
  });

  test('let in at most the burst budget and what the others let in within one announcement', async () => {
    let overshoots = 0;
    for (const seed of schedules(80)) {
      const random = seededRandom(seed);
      const busDelayMs = random.below(60);
      const cluster = new Cluster({ startMs: HOUR, replicas, random, weather: { busDelayMs } });
      const budgets = budgetsOf({
        burstPerSecond: 1 + random.below(40),
        hourly: PLENTY,
        searchPerSecond: 1 + random.below(10),
        searchPerHour: PLENTY,
      });
      // The replicas have to know of each other first.
      await cluster.time.runUntil(HOUR + 1_000);
      const trace = new Trace();
      plan({
        accountId: ACCOUNT,
        cluster,
        random,
        trace,
        budgets: () => budgets,
        endMs: HOUR + 6_000,
        count: 600,
      });
      await cluster.time.runUntil(HOUR + 7_000);
      const delayMs = ANNOUNCE_MS + busDelayMs;
      const isWithin = (those: readonly Admission[], limit: number): void => {
        for (const [at, { atMs, replica }] of those.entries()) {
          const unheard = those
            .slice(0, at)
            .filter((it) => it.replica !== replica && it.atMs >= atMs - delayMs);
          const sameSecond = those.slice(0, at + 1).filter((it) => isSameSecond(it.atMs, atMs));
          const bound = limit + unheard.filter((it) => isSameSecond(it.atMs, atMs)).length;
          expect(sameSecond.length, `schedule ${seed}`).toBeLessThanOrEqual(bound);
          if (sameSecond.length > limit) overshoots += 1;
        }
      };
      isWithin(trace.admissions, budgets.burstPerSecond);
      isWithin(
        trace.admissions.filter(({ isSearch }) => isSearch),
        budgets.searchPerSecond,
      );
    }
    // One is exact; several are not: the bound is not just the limit.
    expect(overshoots > 0).toBe(replicas > 1);
  });

  test('let in no more than the burst budget together once they know that NATS is away', async () => {
    for (const seed of schedules(40)) {
      const random = seededRandom(seed);
      const cluster = new Cluster({ startMs: HOUR, replicas, random });
      const limit = 1 + random.below(60);
      const budgets = budgetsOf({ burstPerSecond: limit, hourly: PLENTY, searchPerSecond: PLENTY });
      await cluster.time.runUntil(HOUR + 1_000);
      // All of them, or some of them: then the others go on together, and forget them.
      const cut = random.chance(0.5) ? cluster.alive : cluster.alive.filter(() => random.chance(0.5));
      for (const replica of cut) replica.cut();
      const trace = new Trace();
      plan({
        accountId: ACCOUNT,
        cluster,
        random,
        trace,
        budgets: () => budgets,
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
      // Whatever is lost, nobody alone lets in more than the budget.
      expect(trace.most(1_000), `schedule ${seed}`).toBeLessThanOrEqual(replicas * limit);
      for (const replica of cut) replica.heal();
      const healed = new Trace();
      await cluster.time.runUntil(HOUR + 11_000);
      plan({
        accountId: ACCOUNT,
        cluster,
        random,
        trace: healed,
        budgets: () => budgets,
        endMs: HOUR + 14_000,
        count: 500,
      });
      await cluster.time.runUntil(HOUR + 14_000);
      // Together again: none holds to its share any more.
      expect(healed.most(1_000), `schedule ${seed}`).toBeGreaterThanOrEqual(Math.min(limit, 60));
    }
  });

  test('a sole client that obeys Retry-After is never refused twice in a row', async () => {
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
      const budgets = budgetsOf({
        burstPerSecond: 1 + random.below(random.pick([4, 30])),
        hourly: 1 + random.below(random.pick([20, 300])),
        searchPerSecond: 1 + random.below(4),
        searchPerHour: 1 + random.below(random.pick([10, 200])),
      });
      let refused: 'call' | 'search' | undefined;
      const end = new AbortController();
      const pauseMs = random.pick([2, 20, 200]);
      const twice: number[] = [];
      const next = (): void => {
        const replica = cluster.alive[random.below(replicas)];
        // What was refused is tried again.
        const kind = refused ?? (random.chance(0.3) ? 'search' : 'call');
        replica?.call(ACCOUNT, budgets, kind, (outcome) => {
          const waits = outcome === 'unavailable' || outcome.isAllowed ? 0 : outcome.retryAfterSeconds;
          if (waits > 0 && refused !== undefined) twice.push(cluster.time.nowMs - startMs);
          refused = waits > 0 ? kind : undefined;
          refusals += waits > 0 ? 1 : 0;
          // That an hour later everything is new is shown below.
          if (waits === 3600) end.abort();
          else cluster.time.plan(waits * 1_000 + random.next() * pauseMs, next, false);
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

  test('a refused call consumes nothing: what the store counts is what was let in, once leases came back', async () => {
    for (const seed of schedules(60)) {
      const random = seededRandom(seed);
      const cluster = new Cluster({
        startMs: HOUR,
        replicas,
        random,
        weather: { storeDelayMs: random.below(30) },
      });
      const budgets = budgetsOf({
        burstPerSecond: 1 + random.below(30),
        hourly: 1 + random.below(400),
        searchPerSecond: 1 + random.below(6),
        searchPerHour: 1 + random.below(40),
      });
      const trace = new Trace();
      plan({
        accountId: ACCOUNT,
        cluster,
        random,
        trace,
        budgets: () => budgets,
        endMs: HOUR + 8_000,
        count: 500,
        searches: 0.4,
      });
      await cluster.time.runUntil(HOUR + 8_100);
      if (random.chance(0.5)) await cluster.close();
      else await cluster.time.runUntil(HOUR + 20_000);
      expect(trace.failures).toBe(0);
      const searches = trace.admissions.filter(({ isSearch }) => isSearch).length;
      const used = (budget: 'hourly' | 'searchHourly'): number =>
        cluster.store.used({ accountId: ACCOUNT, budget, startsAt: HOUR });
      expect([used('hourly'), used('searchHourly')], `schedule ${seed}`).toEqual([
        trace.admissions.length,
        searches,
      ]);
    }
  });

  test('let in nearly all of an hour before they refuse, and all of it in the end', async () => {
    for (const seed of schedules(40)) {
      const random = seededRandom(seed);
      const cluster = new Cluster({
        startMs: HOUR,
        replicas,
        random,
        weather: { storeDelayMs: random.below(10) },
      });
      const hourly = 1 + random.below(random.pick([30, 3_000]));
      const budgets = budgetsOf({
        burstPerSecond: PLENTY,
        hourly,
        searchPerSecond: PLENTY,
        searchPerHour: PLENTY,
      });
      const trace = new Trace();
      let admittedBeforeRefusal: number | undefined;
      const everyMs = 8_000 / hourly;
      for (let i = 0; i < 4 * hourly; i += 1) {
        const run = (): void => {
          const replica = cluster.alive[random.below(random.chance(0.2) ? 1 : replicas)];
          replica?.call(ACCOUNT, budgets, 'call', (outcome) => {
            trace.note(cluster, replica, 'call', outcome);
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
