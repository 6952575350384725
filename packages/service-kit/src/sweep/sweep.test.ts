import { expect, test } from 'vitest';
import { captureLog } from '../testing/log-lines.ts';
import type { MemoryJob } from '../testing/memory-sweeps.ts';
import { memoryClaims, memoryPace } from '../testing/memory-sweeps.ts';
import { VirtualTime } from '../testing/virtual-time.ts';
import type { SweepOptions } from './sweep.ts';
import { startSweep, SWEEP_AHEAD_MS } from './sweep.ts';

const START = Date.parse('2026-11-22T12:00:00.000Z');
const MINUTE_MS = 60_000;

/** Three replicas work on these partitions, all due at once. Returns the start times of the work in each partition. */
async function startsOf(
  partitions: Readonly<Record<string, number>>,
  o: {
    readonly workMs: Readonly<Record<string, number>>;
    readonly forMs: number;
    readonly tenants?: SweepOptions<MemoryJob>['tenants'];
  },
): Promise<ReadonlyMap<string, readonly number[]>> {
  const time = new VirtualTime(START);
  const claims = memoryClaims(new Date(START), partitions);
  const pace = memoryPace({ perSecond: 10, aheadMs: SWEEP_AHEAD_MS, clock: time });
  const begun = new Map<string, number[]>(Object.keys(partitions).map((partition) => [partition, []]));
  for (let replica = 0; replica < 3; replica += 1) {
    time.plan(
      replica * 333,
      () =>
        void startSweep({
          name: 'model',
          claims,
          pace,
          perPartition: 20,
          inProgress: 500,
          ...(o.tenants && { tenants: o.tenants }),
          claimMs: 90_000,
          clock: time,
          timers: time.timers(() => true),
          log: captureLog().log,
          work: async ({ partition }) => {
            begun.get(partition)?.push(time.nowMs - START);
            await time.delay(o.workMs[partition] ?? 200);
            return undefined;
          },
        }),
      true,
    );
  }
  await time.runUntil(START + o.forMs);
  return begun;
}

test('partitions are claimed beside each other, and all of them together stay within the bound', async () => {
  const time = new VirtualTime(START);
  const partitions = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`vendor-${index}`, 20]));
  const claims = memoryClaims(new Date(START), { stuck: 1, ...partitions });
  let [running, most, done] = [0, 0, 0];
  const start = () =>
    void startSweep({
      name: 'model',
      // Simulates a slow database operation.
      claims: {
        ...claims,
        claimEach: (turns, o) =>
          turns.some(({ partition }) => partition === 'stuck')
            ? new Promise(() => undefined)
            : claims.claimEach(turns, o),
      },
      perPartition: 20,
      inProgress: 30,
      claimMs: 90_000,
      clock: time,
      timers: time.timers(() => true),
      log: captureLog().log,
      work: async () => {
        running += 1;
        most = Math.max(most, running);
        await time.delay(100);
        running -= 1;
        done += 1;
        return undefined;
      },
    });
  time.plan(0, start, true);
  await time.runUntil(START + MINUTE_MS);
  expect(done).toBeGreaterThan(20);
  expect(most).toBeLessThanOrEqual(30);
});

/** The maximum number of starts within any second. */
const busiestSecond = (starts: readonly number[]): number =>
  Math.max(
    0,
    ...starts.map((from, index) => starts.slice(index, index + 50).filter((at) => at < from + 1_000).length),
  );

test('of 10 000 documents that are due at once, at most ten a second are begun over three replicas, and hardly fewer', async () => {
  const begun = await startsOf({ crm: 10_000 }, { workMs: {}, forMs: 18 * MINUTE_MS });
  const starts = begun.get('crm') ?? [];
  expect(starts).toHaveLength(10_000);
  expect(busiestSecond(starts)).toBeLessThanOrEqual(10);
});

test('a partition with few documents is as fast beside 10 000 of a partition, or a partition that never answers, as alone', async () => {
  const others = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`vendor-${index}`, 10]));
  const hangs = { hangs: 24 * 60 * MINUTE_MS };
  const alone = await startsOf(others, { workMs: {}, forMs: MINUTE_MS });
  const beside = await startsOf(
    { crm: 10_000, hangs: 10_000, ...others },
    { workMs: hangs, forMs: MINUTE_MS },
  );
  for (const partition of Object.keys(others)) {
    expect(alone.get(partition)).toHaveLength(10);
    expect(beside.get(partition)).toEqual(alone.get(partition));
  }
  // Partitions that hang have a separate limit on each replica.
  expect(beside.get('hangs')).toHaveLength(60);
});

test('a tenant with far more partitions than there is room for, all of which hang, keeps nobody else waiting', async () => {
  const tenants = { of: ({ partition }: MemoryJob) => partition.split('/')[0] ?? partition, each: 50 };
  const own = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`mallory/${index}`, 10]));
  const others = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`alice/${index}`, 10]));
  const workMs = Object.fromEntries(Object.keys(own).map((partition) => [partition, 24 * 60 * MINUTE_MS]));
  const alone = await startsOf(others, { workMs, forMs: MINUTE_MS, tenants });
  // Mallory's documents were due first.
  const beside = await startsOf({ ...own, ...others }, { workMs, forMs: MINUTE_MS, tenants });
  for (const partition of Object.keys(others)) {
    expect(alone.get(partition)).toHaveLength(10);
    expect(beside.get(partition)).toHaveLength(10);
  }
  const begun = Object.keys(own).flatMap((partition) => beside.get(partition) ?? []);
  // The partition's limit, on each of three replicas.
  expect(begun).toHaveLength(150);
});

test('what a tenant has to wait for is done once its others have ended', async () => {
  const tenants = { of: ({ partition }: MemoryJob) => partition.split('/')[0] ?? partition, each: 2 };
  const partitions = { 'mallory/1': 20, 'mallory/2': 20 };
  const begun = await startsOf(partitions, { workMs: {}, forMs: 3 * MINUTE_MS, tenants });
  for (const partition of Object.keys(partitions)) expect(begun.get(partition)).toHaveLength(20);
});

/** A sweep with ten permits in a partition with endless work; returns its look-ups, claims and starts until `forMs`. */
async function goOn(
  partitions: Readonly<Record<string, number>>,
  o: Partial<Pick<SweepOptions<MemoryJob>, 'work' | 'goesOn'>> & { readonly forMs: number },
) {
  const time = new VirtualTime(START);
  const claims = memoryClaims(new Date(START), partitions);
  const begun = new Map<string, number>();
  /** Work that begins together ends together, like one commit of a database. */
  const ends = new Map<number, Promise<void>>();
  const end = (): Promise<void> => {
    const ending = ends.get(time.nowMs) ?? time.delay(5);
    ends.set(time.nowMs, ending);
    return ending;
  };
  const counts = { looks: 0, claims: 0, emptyClaims: 0 };
  startSweep({
    name: 'model',
    claims: {
      ...claims,
      duePartitions(now, limit) {
        counts.looks += 1;
        return claims.duePartitions(now, limit);
      },
      async claimEach(turns, of) {
        const claimed = await claims.claimEach(turns, of);
        counts.claims += 1;
        if (claimed.length === 0) counts.emptyClaims += 1;
        return claimed;
      },
    },
    perPartition: 10,
    inProgress: 25,
    goesOn: o.goesOn ?? true,
    claimMs: 90_000,
    clock: time,
    timers: time.timers(() => true),
    log: captureLog().log,
    work: async (claimed, signal) => {
      begun.set(claimed.partition, (begun.get(claimed.partition) ?? 0) + 1);
      await (claimed.partition === 'hangs' ? time.delay(24 * 60 * MINUTE_MS) : end());
      return o.work?.(claimed, signal);
    },
  });
  time.plan(0, () => undefined, true);
  await time.runUntil(START + o.forMs);
  return { begun: Object.fromEntries(begun), counts };
}

test('a sweep that goes on works on 1 000 short documents of a partition after one look, and claims what ends together together', async () => {
  const { begun, counts } = await goOn({ busy: 1_000 }, { forMs: 900 });
  expect(begun).toEqual({ busy: 1_000 });
  expect(counts.looks).toBe(1);
  expect(counts.claims).toBe(101);
  const others = await goOn({ busy: 1_000 }, { forMs: 900, goesOn: false });
  expect(others.begun).toEqual({ busy: 10 });
});

test('partitions take turns at the permits that become free, and one that hangs costs no more looks or claims', async () => {
  const { begun, counts } = await goOn({ hangs: 1_000, one: 300, other: 300 }, { forMs: 60 });
  expect(begun['hangs']).toBe(10);
  // Fifteen permits are left, for twelve times 5 ms.
  expect(begun['one']).toBeGreaterThan(80);
  expect(begun['other']).toBeGreaterThan(80);
  const idle = await goOn({ hangs: 1_000 }, { forMs: 59_999 });
  expect(idle.begun).toEqual({ hangs: 10 });
  expect(idle.counts).toEqual({ looks: 60, claims: 1, emptyClaims: 0 });
  expect(counts.looks).toBe(1);
  expect(counts.emptyClaims).toBe(0);
});

test('partitions with a document each are claimed many at a time', async () => {
  const partitions = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, index) => [`partition-${index}`, 1]),
  );
  const { begun, counts } = await goOn(partitions, { forMs: 900 });
  expect(Object.keys(begun)).toHaveLength(1_000);
  expect(counts.looks).toBe(1);
  expect(counts.claims).toBeLessThan(200);
});

test('what is settled as due at once is claimed again at once by a sweep that goes on', async () => {
  const work = () => Promise.resolve({ at: new Date(START) });
  const { counts } = await goOn({ pages: 1 }, { forMs: 5, work });
  // The in-memory claims settle nothing, so the second sweep finds none.
  expect(counts).toEqual({ looks: 1, claims: 2, emptyClaims: 1 });
});

test('a sweep that is woken looks at once, or once more if it is looking', async () => {
  const time = new VirtualTime(START);
  const claims = memoryClaims(new Date(START + 10_000), { crm: 1 });
  let [looks, begun] = [0, 0];
  const sweep = startSweep({
    name: 'model',
    claims: {
      ...claims,
      duePartitions(now, limit) {
        looks += 1;
        return claims.duePartitions(now, limit);
      },
    },
    perPartition: 1,
    inProgress: 1,
    claimMs: 90_000,
    idleMs: 24 * 60 * MINUTE_MS,
    clock: time,
    timers: time.timers(() => true),
    log: captureLog().log,
    work: () => {
      begun += 1;
      return Promise.resolve(undefined);
    },
  });
  sweep.wake();
  sweep.wake();
  time.plan(1, () => undefined, true);
  await time.runUntil(START + 20_000);
  expect([looks, begun]).toEqual([2, 0]);
  sweep.wake();
  time.plan(0, () => undefined, true);
  await time.runUntil(START + 20_000);
  expect([looks, begun]).toEqual([3, 1]);
  await sweep.close();
});
