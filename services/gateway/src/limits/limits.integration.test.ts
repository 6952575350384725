import { setImmediate as nextTurn } from 'node:timers/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNatsServer } from '@fairlead/local-stores/nats-server';
import type { RunningNats } from '@fairlead/local-stores/nats-server';
import { ManualClock, systemClock } from '@fairlead/service-kit/clock';
import type { Clock } from '@fairlead/service-kit/clock';
import { randomBase62 } from '@fairlead/service-kit/ids';
import { rateWindowCollection, windowsOfKey } from '@fairlead/limiter/mongo-window-store';
import { connectMongo } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import { Secret } from '@fairlead/service-kit/secret';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { openLink } from '@fairlead/service-kit/testing/network';
import type { Link } from '@fairlead/service-kit/testing/network';
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import type { Budgets } from '@fairlead/access/budgets';
import { createRateLimits } from './limits.ts';
import type { Limits } from './limits.ts';

// Three replicas, composed as the gateway composes them, with a real MongoDB behind a breakable link and a real nats-server that tests
// kill.

const PATIENCE = { timeout: 90_000, interval: 20 };
const PLENTY = 1_000_000;
const { log } = captureLog('silent');
const database = `test_${randomBase62(16)}`;
let directory: string;
let nats: RunningNats;
let network: Link;
let store: MongoStore;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-limits-'));
  nats = await startNatsServer({ dataDirectory: directory });
  network = await openLink(Number(new URL(inject('mongodbUri')).port));
  store = await connect(inject('mongodbUri'));
});

afterAll(async () => {
  await store.db.dropDatabase();
  await store.close();
  await network.close();
  await nats.stop();
  await rm(directory, { recursive: true });
});

const connect = (uri: string): Promise<MongoStore> =>
  connectMongo({ uri: new Secret(uri), database, log, collections: [rateWindowCollection] });

/** The address of the link, not of the database. */
async function startReplica(clock: Clock = systemClock): Promise<Limits> {
  const uri = new URL(inject('mongodbUri'));
  // The host as well: a database in a container may not be on loopback.
  uri.host = `${network.host}:${network.port}`;
  uri.searchParams.delete('replicaSet');
  uri.searchParams.set('directConnection', 'true');
  const own = await connect(uri.href);
  const bus = await connectNats({ url: new Secret(nats.url), name: 'test', log });
  const limits = createRateLimits({ store: own, nats: bus, clock, log });
  onTestFinished(async () => {
    await limits.close();
    await bus.close();
    await own.close();
  });
  return limits;
}

const startReplicas = (clock?: Clock): Promise<[Limits, Limits, Limits]> =>
  Promise.all([startReplica(clock), startReplica(clock), startReplica(clock)]);

function metric(name: string): number {
  const line = registry
    .render()
    .split('\n')
    .find((it) => it.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
}

/** A caller of its own account; `call` returns the outcome of one call. */
const newCaller = (budgets: Partial<Budgets>) => {
  const account = { accountId: `acc_${randomBase62(12)}`, budgets: { ...DEFAULT_BUDGETS, ...budgets } };
  return {
    account,
    async call(limits: Limits, kind: Parameters<Limits['admit']>[1] = 'call'): Promise<string | number> {
      try {
        const { isAllowed, retryAfterSeconds } = await limits.admit(account, kind);
        return isAllowed ? 'allowed' : retryAfterSeconds;
      } catch (error) {
        return (error as { code: string }).code;
      }
    },
  };
};

/** Resolves once each replica knows what each of the others has counted. */
async function untilTogether(replicas: readonly Limits[]): Promise<void> {
  await expect
    .poll(() => [metric('rate_limit_known_replicas'), metric('rate_limit_burst_degraded')], PATIENCE)
    .toEqual([3, 0]);
  const caller = newCaller({ burstPerSecond: replicas.length, hourly: PLENTY });
  for (const replica of replicas) expect(await caller.call(replica)).toBe('allowed');
  await expect
    .poll(
      () => replicas.every((replica) => replica.peek(caller.account).rateLimit.startsWith('"burst";r=0;')),
      PATIENCE,
    )
    .toBe(true);
}

const repeat = <T>(count: number, act: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => act(at)));
const count = (outcomes: readonly unknown[], outcome: unknown): number =>
  outcomes.filter((it) => it === outcome).length;

/** A clock that stands still, in the middle of a second, at a random hour. */
const stoppedClock = (): ManualClock =>
  new ManualClock(new Date(Date.UTC(2030, 0, 1 + Math.floor(Math.random() * 3_000), 12, 0, 0, 500)));

test('an hour is shared to the last call, and what is held goes back when replicas stop', async () => {
  const replicas = await startReplicas(stoppedClock());
  const caller = newCaller({ burstPerSecond: PLENTY, hourly: 1_000 });
  const outcomes = await repeat(1_500, (at) => caller.call(replicas[at % 3] ?? replicas[0]));
  expect(count(outcomes, 'allowed')).toBeLessThanOrEqual(1_000);
  expect(count(outcomes, 'allowed') + count(outcomes, 3600)).toBe(1_500);
  for (const replica of replicas) await replica.close();
  const [window] = await windowsOf(caller.account.accountId);
  expect(window?.used).toBe(count(outcomes, 'allowed'));
});

test('whether several calls are left is answered without counting any', async () => {
  const limits = await startReplica(stoppedClock());
  const caller = newCaller({ burstPerSecond: 5, hourly: 7 });
  expect(await caller.call(limits)).toBe('allowed');
  const verdicts = [0, 4, 5, 7].map((calls) => limits.peek(caller.account, calls));
  expect(verdicts.map(({ isAllowed, retryAfterSeconds }) => [isAllowed, retryAfterSeconds])).toEqual([
    [true, 0],
    [true, 0],
    [false, 1],
    [false, 3600],
  ]);
  expect(new Set(verdicts.map(({ rateLimit }) => rateLimit)).size).toBe(1);
});

test('an hour that all replicas begin at the same moment is begun once', async () => {
  const clock = stoppedClock();
  const replicas = await startReplicas(clock);
  for (let round = 0; round < 20; round += 1) {
    const caller = newCaller({ burstPerSecond: PLENTY, hourly: 5 });
    const outcomes = await repeat(9, (at) => caller.call(replicas[at % 3] ?? replicas[0]));
    expect(count(outcomes, 'allowed')).toBe(5);
    expect(await windowsOf(caller.account.accountId)).toHaveLength(1);
  }
});

test('a burst that one replica lets in is known to the others at once', async () => {
  const replicas = await startReplicas(stoppedClock());
  await untilTogether(replicas);
  const [first, second] = replicas;
  const caller = newCaller({ burstPerSecond: 40, hourly: PLENTY });
  expect(count(await repeat(30, () => caller.call(first)), 'allowed')).toBe(30);
  await expect.poll(() => second.peek(caller.account).rateLimit, { interval: 5 }).toMatch(/^"burst";r=10;/);
  expect(count(await repeat(30, () => caller.call(second)), 'allowed')).toBe(10);
});

test('calls to the address of a trigger are counted across replicas', async () => {
  const [first, second] = await startReplicas(stoppedClock());
  const budgetsOf = (hookPerSecond: number): Budgets => ({ ...DEFAULT_BUDGETS, hookPerSecond });
  const admitted = (limits: Limits, triggerId: string, calls: number, budgets: Budgets): number =>
    Array.from({ length: calls }, () => limits.admitHook(triggerId, budgets)).filter(Boolean).length;
  const [few, many] = [budgetsOf(40), budgetsOf(1_000)];
  // On a busy machine the replicas may count separately for a while, so each attempt uses new addresses.
  const attempt = async (): Promise<readonly number[]> => {
    const [hook, later] = [`trg_${randomBase62(12)}`, `trg_${randomBase62(12)}`];
    const byFirst = admitted(first, hook, 30, few);
    admitted(first, later, 1_000, many);
    // The second replica now also knows the earlier counts.
    await vi.waitUntil(() => !second.admitHook(later, many), PATIENCE);
    return [byFirst, admitted(second, hook, 30, few)];
  };
  await expect.poll(attempt, PATIENCE).toEqual([30, 10]);
});

test('nats-server killed: each replica lets in its share, says so, and they count together again once it is back', async () => {
  const clock = stoppedClock();
  const replicas = await startReplicas(clock);
  await untilTogether(replicas);
  process.kill(nats.pid, 'SIGKILL');
  await nats.exited;
  await expect.poll(() => metric('rate_limit_burst_degraded'), PATIENCE).toBe(1);
  const caller = newCaller({ burstPerSecond: 50, hourly: PLENTY });
  const outcomes = await repeat(150, (at) => caller.call(replicas[at % 3] ?? replicas[0]));
  expect([count(outcomes, 'allowed'), count(outcomes, 1)]).toEqual([48, 102]);
  nats = await startNatsServer({ dataDirectory: directory, port: nats.port });
  await untilTogether(replicas);
  clock.advance(1_000);
  expect(count(await repeat(60, () => caller.call(replicas[0])), 'allowed')).toBe(50);
});

test.each(['reset', 'blackHole'] as const)(
  'MongoDB away (%s): leases serve, then calls are UNAVAILABLE, until it is back; the hour is kept',
  async (fault) => {
    const clock = stoppedClock();
    const replica = await startReplica(clock);
    const caller = newCaller({ burstPerSecond: PLENTY, hourly: 20_000 });
    // Calls until the lease has grown to its full size.
    for (let i = 0; i < 600; i += 1) expect(await caller.call(replica)).toBe('allowed');
    await network.set({ kind: fault });
    let allowed = 0;
    for (
      let outcome = await caller.call(replica);
      outcome !== 'UNAVAILABLE';
      outcome = await caller.call(replica)
    ) {
      expect(outcome).toBe('allowed');
      allowed += 1;
    }
    expect(allowed).toBeGreaterThan(50);
    expect(metric('rate_limit_store_away')).toBe(1);
    // While one replica probes the database, all callers are refused from memory, within this turn of the event loop.
    const late = nextTurn().then(() => ['late']);
    const refused = await Promise.race([repeat(1_000, () => caller.call(replica)), late]);
    expect(count(refused, 'UNAVAILABLE')).toBe(1_000);
    await network.set({ kind: 'pass' });
    const again = async (): Promise<string | number> => {
      clock.advance(500);
      return await caller.call(replica);
    };
    await expect.poll(again, PATIENCE).toBe('allowed');
    expect(metric('rate_limit_store_away')).toBe(0);
    await replica.close();
    const [window] = await windowsOf(caller.account.accountId);
    expect(window?.used).toBeGreaterThanOrEqual(600 + allowed);
  },
);

test('budgets that change hold with the call that brings them, on every replica', async () => {
  const replicas = await startReplicas(stoppedClock());
  const caller = newCaller({ burstPerSecond: PLENTY, hourly: 600 });
  expect(count(await repeat(300, (at) => caller.call(replicas[at % 3] ?? replicas[0])), 'allowed')).toBe(300);
  const withLimit = (hourly: number) => ({
    ...caller.account,
    budgets: { ...caller.account.budgets, hourly },
  });
  for (const replica of replicas) {
    expect(await replica.admit(withLimit(200), 'call')).toMatchObject({
      isAllowed: false,
      retryAfterSeconds: 3600,
      policy: expect.stringContaining('"hourly";q=200;w=3600') as string,
    });
  }
  for (const replica of replicas)
    expect(await replica.admit(withLimit(2_000), 'call')).toMatchObject({ isAllowed: true });
});

test('calls of the account’s settings have 10 a second of all replicas together, whatever the budgets', async () => {
  const clock = stoppedClock();
  const replicas = await startReplicas(clock);
  await untilTogether(replicas);
  const caller = newCaller({ burstPerSecond: 1, hourly: 1 });
  const [first, second] = replicas;
  expect(await caller.call(first)).toBe('allowed');
  expect(await repeat(6, () => caller.call(first, 'exempt'))).toEqual(
    Array.from({ length: 6 }, () => 'allowed'),
  );
  // Counts of the others arrive within milliseconds of the real time.
  const refusal = async (): Promise<string | undefined> => {
    const verdict = await second.admit(caller.account, 'exempt');
    return verdict.isAllowed
      ? undefined
      : `${verdict.retryAfterSeconds}; ${verdict.rateLimit}; ${verdict.policy}`;
  };
  await expect
    .poll(refusal, PATIENCE)
    .toMatch(
      /^1; "account";r=0;t=1, "burst";r=\d;t=1, .*; "account";q=10;w=1, "burst";q=1;w=1, "hourly";q=1;w=3600$/,
    );
  await expect.poll(() => caller.call(first, 'exempt'), PATIENCE).toBe(1);
  clock.advance(1_000);
  expect(await caller.call(second, 'exempt')).toBe('allowed');
  expect(await second.admit(caller.account, 'exempt')).toMatchObject({
    policy: '"burst";q=1;w=1, "hourly";q=1;w=3600',
  });
});

test('steps of workflows take from the same hour as calls, of all replicas together, and from no second', async () => {
  const clock = stoppedClock();
  const replicas = await startReplicas(clock);
  const caller = newCaller({ burstPerSecond: 1, hourly: 10 });
  const [first] = replicas;
  expect(await caller.call(first)).toBe('allowed');
  const verdicts = await repeat(20, (at) => (replicas[at % 3] ?? first).takeStep(caller.account));
  const allowed = verdicts.filter(({ isAllowed }) => isAllowed);
  expect(allowed.length).toBeLessThanOrEqual(9);
  for (const replica of replicas) await replica.close();
  expect((await windowsOf(caller.account.accountId))[0]?.used).toBe(1 + allowed.length);
  expect(verdicts[0]?.renewsInSeconds).toBe(3_600);
});

test('trigger tests are counted across replicas, to the second', async () => {
  const clock = stoppedClock();
  const replicas = await startReplicas(clock);
  const { account } = newCaller({ triggerTestPerMinute: 4 });
  const verdicts = await repeat(9, (at) => (replicas[at % 3] ?? replicas[0]).takeTriggerTest(account));
  expect(verdicts.filter(({ isAllowed }) => isAllowed)).toHaveLength(4);
  expect(verdicts).toContainEqual({ isAllowed: false, retryAfterSeconds: 60 });
  clock.advance(59_499);
  expect(await replicas[0].takeTriggerTest(account)).toEqual({ isAllowed: false, retryAfterSeconds: 1 });
  clock.advance(1);
  expect(await replicas[0].takeTriggerTest(account)).toEqual({ isAllowed: true });
});

function windowsOf(accountId: string) {
  return store.collection(rateWindowCollection).find(windowsOfKey(accountId)).toArray();
}
