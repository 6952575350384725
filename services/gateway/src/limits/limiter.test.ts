import { describe, expect, test } from 'vitest';
import { DEFAULT_BUDGETS } from '../identity/domain/budgets.ts';
import type { Budgets } from '../identity/domain/budgets.ts';
import { HOUR_MS } from './domain/windows.ts';
import { Cluster } from './testing/cluster.ts';
import type { Outcome, Weather } from './testing/cluster.ts';
import { seededRandom } from './testing/random.ts';

const ACCOUNT = 'acc_1';
const HOUR = 400_000 * HOUR_MS;
const PLENTY = 1_000_000;
const budgetsOf = (members: Partial<Budgets>): Budgets => ({ ...DEFAULT_BUDGETS, ...members });
const WIDE = budgetsOf({ burstPerSecond: PLENTY, searchPerSecond: PLENTY, searchPerHour: PLENTY });

function start(o: { replicas?: number; atMs?: number; weather?: Partial<Weather> } = {}): Cluster {
  const { replicas = 1, atMs = HOUR, weather = {} } = o;
  return new Cluster({ startMs: atMs, replicas, random: seededRandom(7), weather });
}

/** How `count` calls end that come at once, and `everyMs` apart where that is given. */
async function calls(
  cluster: Cluster,
  count: number,
  budgets: Budgets,
  o: { everyMs?: number; kind?: 'call' | 'search'; replica?: number; forMs?: number } = {},
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const { everyMs = 0, kind = 'call', replica = 0, forMs = count * everyMs + 300 } = o;
  const call = (): void =>
    cluster.replicas[replica]?.call(ACCOUNT, budgets, kind, (outcome) => outcomes.push(outcome));
  for (let i = 0; i < count; i += 1) cluster.time.plan(i * everyMs, call, false);
  await cluster.time.runUntil(cluster.time.nowMs + forMs);
  return outcomes;
}

const allowed = (outcomes: readonly Outcome[]): number =>
  outcomes.filter((outcome) => outcome !== 'unavailable' && outcome.isAllowed).length;
const unavailable = (outcomes: readonly Outcome[]): number =>
  outcomes.filter((outcome) => outcome === 'unavailable').length;

/** Counts what is asked of the store from now on. */
function watchStore({ store }: Cluster): { questions: number } {
  const watched = { questions: 0 };
  const exchange = store.exchange.bind(store);
  store.exchange = (window, order) => {
    watched.questions += 1;
    return exchange(window, order);
  };
  return watched;
}

const used = (cluster: Cluster): number =>
  cluster.store.used({ accountId: ACCOUNT, budget: 'hourly', startsAt: HOUR });

const stateOf = ({ replicas }: Cluster, replica = 0) => {
  const { state } = replicas[replica]?.limits ?? {};
  return {
    isBurstDegraded: state?.isBurstDegraded(),
    isStoreAway: state?.isStoreAway(),
    knownReplicas: state?.knownReplicas(),
    knownAccounts: state?.knownAccounts(),
  };
};

describe('headers', () => {
  test('a call is told of burst and hour, a search of its own budgets too', async () => {
    const cluster = start({ atMs: HOUR + 59 * 60_000 + 500 });
    expect(await calls(cluster, 1, DEFAULT_BUDGETS)).toEqual([
      {
        isAllowed: true,
        retryAfterSeconds: 0,
        rateLimit: '"burst";r=49;t=1, "hourly";r=19999;t=60',
        policy: '"burst";q=50;w=1, "hourly";q=20000;w=3600',
      },
    ]);
    expect(await calls(cluster, 1, DEFAULT_BUDGETS, { kind: 'search' })).toMatchObject([
      {
        rateLimit: '"burst";r=48;t=1, "hourly";r=19998;t=60, "search";r=4;t=1, "searchHourly";r=999;t=60',
        policy: '"burst";q=50;w=1, "hourly";q=20000;w=3600, "search";q=5;w=1, "searchHourly";q=1000;w=3600',
      },
    ]);
  });

  test('a look at what is left counts nothing', async () => {
    const cluster = start();
    const look = () => cluster.replicas[0]?.limits.peek({ accountId: ACCOUNT, budgets: DEFAULT_BUDGETS });
    expect(look()).toMatchObject({ isAllowed: true, rateLimit: '"burst";r=50;t=1, "hourly";r=20000;t=3600' });
    await calls(cluster, 3, DEFAULT_BUDGETS);
    for (let i = 0; i < 100; i += 1) look();
    expect(look()).toMatchObject({ rateLimit: '"burst";r=47;t=1, "hourly";r=19997;t=3600' });
    expect(await calls(cluster, 47, DEFAULT_BUDGETS)).toMatchObject(
      Array.from({ length: 47 }, () => ({ isAllowed: true })),
    );
  });

  test('budgets that change are told with the call that brings them', async () => {
    const cluster = start();
    await calls(cluster, 1, DEFAULT_BUDGETS);
    expect(await calls(cluster, 1, budgetsOf({ burstPerSecond: 7, hourly: 70 }))).toMatchObject([
      { rateLimit: '"burst";r=5;t=1, "hourly";r=68;t=3600', policy: '"burst";q=7;w=1, "hourly";q=70;w=3600' },
    ]);
  });
});

describe('the hour', () => {
  test('calls hardly ever ask the store, and hardly ever wait for it', async () => {
    const cluster = start({ weather: { storeDelayMs: 10 } });
    await calls(cluster, 100, WIDE, { everyMs: 20 });
    const store = watchStore(cluster);
    let waited = 0;
    const call = (): void => {
      const verdict = cluster.replicas[0]?.limits.admit({ accountId: ACCOUNT, budgets: WIDE }, 'call');
      if (verdict instanceof Promise) waited += 1;
    };
    for (let i = 0; i < 3_000; i += 1) cluster.time.plan(i * 20, call, false);
    await cluster.time.runUntil(cluster.time.nowMs + 60_000);
    expect(waited).toBe(0);
    expect(store.questions).toBeLessThan(40);
  });

  test('calls that come at once wait together', async () => {
    const cluster = start({ weather: { storeDelayMs: 10 } });
    await calls(cluster, 10, { ...WIDE, hourly: 100 }, { everyMs: 30 });
    const store = watchStore(cluster);
    expect(allowed(await calls(cluster, 80, { ...WIDE, hourly: 100 }, { forMs: 100 }))).toBe(80);
    expect(store.questions).toBeLessThan(6);
  });

  test('a full hour is refused from memory, and asked about more and more rarely', async () => {
    const cluster = start();
    await calls(cluster, 10, budgetsOf({ hourly: 10 }), { everyMs: 10 });
    const store = watchStore(cluster);
    const outcomes = await calls(cluster, 20_000, budgetsOf({ hourly: 10 }), { everyMs: 5 });
    expect(outcomes).toHaveLength(20_000);
    expect(outcomes.every((outcome) => outcome !== 'unavailable' && outcome.retryAfterSeconds === 3600)).toBe(
      true,
    );
    expect(store.questions).toBeLessThan(16);
  });

  test('what another replica gives back to a full hour is found within seconds', async () => {
    const cluster = start({ replicas: 2 });
    const budgets = { ...WIDE, hourly: 1_000 };
    // Each is quick for a while, so that it holds some.
    await calls(cluster, 100, budgets, { everyMs: 2, replica: 1 });
    expect(allowed(await calls(cluster, 2_000, budgets, { everyMs: 1 }))).toBeLessThan(900);
    expect(allowed(await calls(cluster, 2_000, budgets, { everyMs: 10 }))).toBeGreaterThan(0);
    expect(used(cluster)).toBe(1_000);
  });

  test('a lease that lies idle goes back in three seconds, and an account that does is forgotten', async () => {
    const cluster = start();
    await calls(cluster, 200, WIDE, { everyMs: 10 });
    expect(used(cluster)).toBeGreaterThan(200);
    await cluster.time.runUntil(cluster.time.nowMs + 5_000);
    expect(used(cluster)).toBe(200);
    expect(stateOf(cluster).knownAccounts).toBe(1);
    await cluster.time.runUntil(cluster.time.nowMs + 62_000);
    expect(stateOf(cluster).knownAccounts).toBe(0);
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

  test('a stop while calls wait lets them in first', async () => {
    for (const count of [1, 2, 5, 20]) {
      const cluster = start({ weather: { storeDelayMs: 50 } });
      const outcomes: Outcome[] = [];
      for (let i = 0; i < count; i += 1) {
        cluster.replicas[0]?.call(ACCOUNT, { ...WIDE, hourly: 2_000 }, 'call', (it) => outcomes.push(it));
      }
      await cluster.close();
      expect([allowed(outcomes), used(cluster)]).toEqual([count, count]);
    }
  });

  test('a limit that is lowered holds from the next call on, whatever is leased', async () => {
    const cluster = start();
    await calls(cluster, 300, { ...WIDE, hourly: 20_000 }, { everyMs: 5 });
    expect(used(cluster)).toBeGreaterThan(305);
    expect(allowed(await calls(cluster, 50, { ...WIDE, hourly: 305 }, { everyMs: 5 }))).toBe(5);
    expect(used(cluster)).toBe(305);
  });

  test('a limit that is raised lets in at once what was refused', async () => {
    const cluster = start();
    expect(allowed(await calls(cluster, 20, budgetsOf({ hourly: 10 }), { everyMs: 5 }))).toBe(10);
    expect(allowed(await calls(cluster, 20, budgetsOf({ hourly: 15 }), { everyMs: 5 }))).toBe(5);
  });

  test('begins anew with the next', async () => {
    const cluster = start({ atMs: HOUR + HOUR_MS - 1_000 });
    const outcomes = await calls(cluster, 40, budgetsOf({ hourly: 10 }), { everyMs: 50 });
    const both = [...Array.from({ length: 10 }, () => 1), ...Array.from({ length: 10 }, () => 0)];
    expect(outcomes.map((outcome) => allowed([outcome]))).toEqual([...both, ...both]);
  });

  test('what is granted for an hour that is over by then is not for the next', async () => {
    const cluster = start({ atMs: HOUR + HOUR_MS - 1, weather: { storeDelayMs: 60 } });
    const before = await calls(cluster, 10, { ...WIDE, hourly: 5 }, { forMs: 1_000 });
    const after = await calls(cluster, 10, { ...WIDE, hourly: 5 });
    expect([allowed(before), allowed(after)]).toEqual([5, 0]);
  });
});

describe('a store that is away', () => {
  test('calls are let in until the lease is spent, then refused as UNAVAILABLE, at once, until it is back', async () => {
    const cluster = start();
    const budgets = { ...WIDE, hourly: 20_000 };
    await calls(cluster, 400, budgets, { everyMs: 5 });
    const held = used(cluster) - 400;
    expect(held).toBeGreaterThan(100);
    cluster.weather.storeFailures = 1;
    cluster.weather.storeFailure = 'before';
    const store = watchStore(cluster);
    const outcomes = await calls(cluster, 2_000, budgets, { everyMs: 5 });
    expect([allowed(outcomes), unavailable(outcomes)]).toEqual([held, 2_000 - held]);
    expect(outcomes.slice(0, held)).not.toContain('unavailable');
    expect(stateOf(cluster).isStoreAway).toBe(true);
    expect(store.questions).toBe(0);
    cluster.weather.storeFailures = 0;
    await cluster.time.runUntil(cluster.time.nowMs + 2_000);
    expect(allowed(await calls(cluster, 100, budgets, { everyMs: 5 }))).toBe(100);
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
    expect(allowed(await calls(cluster, 3, WIDE))).toBe(3);
    await cluster.close();
    expect(used(cluster)).toBe(3);
  });

  test('one account after the other tries it, the others hear at once that it is away', async () => {
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
    expect(store.questions).toBe(1);
  });

  test('a full hour stays refused', async () => {
    const cluster = start();
    await calls(cluster, 20, budgetsOf({ hourly: 10 }), { everyMs: 5 });
    cluster.weather.storeFailures = 1;
    const outcomes = await calls(cluster, 100, budgetsOf({ hourly: 10 }), { everyMs: 200 });
    expect(outcomes.map((outcome) => outcome !== 'unavailable' && outcome.retryAfterSeconds)).toEqual(
      Array.from({ length: 100 }, () => 3600),
    );
  });
});

describe('replicas', () => {
  test('know of each other within a second, and forget who stops at once and who dies in seconds', async () => {
    const cluster = start({ replicas: 4 });
    await cluster.time.runUntil(HOUR + 1_200);
    expect(stateOf(cluster)).toMatchObject({ knownReplicas: 4, isBurstDegraded: false });
    void cluster.replicas[3]?.limits.close();
    await cluster.time.runUntil(HOUR + 1_300);
    expect(stateOf(cluster).knownReplicas).toBe(3);
    cluster.replicas[2]?.kill();
    await cluster.time.runUntil(HOUR + 3_000);
    expect(stateOf(cluster).knownReplicas).toBe(3);
    await cluster.time.runUntil(HOUR + 5_000);
    expect(stateOf(cluster).knownReplicas).toBe(2);
  });

  test('who is cut off remembers how many there were, for as long as it lasts, and lets in its share', async () => {
    const cluster = start({ replicas: 3 });
    await cluster.time.runUntil(HOUR + 1_000);
    cluster.replicas[0]?.cut();
    await cluster.time.runUntil(HOUR + 60_000);
    expect(stateOf(cluster)).toMatchObject({ knownReplicas: 3, isBurstDegraded: true });
    expect(stateOf(cluster, 1)).toMatchObject({ knownReplicas: 2, isBurstDegraded: false });
    const budgets = budgetsOf({ burstPerSecond: 50, searchPerSecond: 2 });
    expect(allowed(await calls(cluster, 100, budgets))).toBe(16);
    await cluster.time.runUntil(HOUR + 62_000);
    // At least one, else an account with a small budget could not call at all.
    expect(allowed(await calls(cluster, 100, budgets, { kind: 'search' }))).toBe(1);
    cluster.replicas[0]?.heal();
    await cluster.time.runUntil(HOUR + 64_000);
    expect(stateOf(cluster)).toMatchObject({ knownReplicas: 3, isBurstDegraded: false });
    expect(allowed(await calls(cluster, 100, budgets))).toBe(50);
  });

  test('who was cut off tells afterwards what the others missed', async () => {
    const cluster = start({ replicas: 2 });
    const budgets = budgetsOf({ burstPerSecond: 20 });
    await cluster.time.runUntil(HOUR + 1_010);
    cluster.replicas[0]?.cut();
    expect(allowed(await calls(cluster, 15, budgets, { forMs: 100 }))).toBe(15);
    cluster.replicas[0]?.heal();
    await cluster.time.runUntil(HOUR + 1_600);
    expect(allowed(await calls(cluster, 20, budgets, { replica: 1 }))).toBe(5);
  });

  test('a newcomer is told what the others let in before it came', async () => {
    const cluster = start();
    const budgets = budgetsOf({ burstPerSecond: 20 });
    expect(allowed(await calls(cluster, 15, budgets))).toBe(15);
    cluster.start();
    await cluster.time.runUntil(HOUR + 500);
    expect(allowed(await calls(cluster, 20, budgets, { replica: 1 }))).toBe(5);
  });
});

describe('trigger tests', () => {
  const takeAt = (cluster: Cluster, budgets = DEFAULT_BUDGETS) =>
    cluster.replicas[0]?.limits.takeTriggerTest({ accountId: ACCOUNT, budgets });
  /** The answer, after the time that it takes. */
  const take = async (cluster: Cluster, budgets = DEFAULT_BUDGETS): Promise<unknown> => {
    const taken = takeAt(cluster, budgets)?.catch((error: unknown) => error);
    await cluster.time.runUntil(cluster.time.nowMs + 10);
    return await taken;
  };

  test('ten a minute, then the seconds until the next; who is refused counts nowhere and asks nobody', async () => {
    const cluster = start({ atMs: HOUR + 12_000 });
    for (let i = 0; i < 10; i += 1) expect(await take(cluster)).toEqual({ isAllowed: true });
    const store = watchStore(cluster);
    expect(await take(cluster)).toEqual({ isAllowed: false, retryAfterSeconds: 48 });
    await cluster.time.runUntil(HOUR + 59_500);
    expect(await take(cluster)).toEqual({ isAllowed: false, retryAfterSeconds: 1 });
    expect(store.questions).toBe(0);
    expect(await take(cluster, budgetsOf({ triggerTestPerMinute: 11 }))).toEqual({ isAllowed: true });
    await cluster.time.runUntil(HOUR + 60_000);
    expect(await take(cluster)).toEqual({ isAllowed: true });
  });

  test('no replica lets in what another did', async () => {
    const cluster = start({ replicas: 3 });
    const taken = Array.from({ length: 30 }, async (_, at) =>
      cluster.replicas[at % 3]?.limits.takeTriggerTest({ accountId: ACCOUNT, budgets: DEFAULT_BUDGETS }),
    );
    await cluster.time.runUntil(HOUR + 100);
    const verdicts = await Promise.all(taken);
    expect(verdicts.filter((verdict) => verdict?.isAllowed)).toHaveLength(10);
  });

  test('are UNAVAILABLE while the store is away', async () => {
    const cluster = start();
    cluster.weather.storeFailures = 1;
    cluster.weather.storeFailure = 'before';
    expect(await take(cluster)).toMatchObject({ code: 'UNAVAILABLE' });
  });
});
