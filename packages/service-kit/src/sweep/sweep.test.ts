import { expect, test } from 'vitest';
import { captureLog } from '../testing/log-lines.ts';
import { memoryClaims, memoryPace } from '../testing/memory-sweeps.ts';
import { VirtualTime } from '../testing/virtual-time.ts';
import { startSweep, SWEEP_AHEAD_MS } from './sweep.ts';

const START = Date.parse('2026-11-22T12:00:00.000Z');
const MINUTE_MS = 60_000;

/** Three replicas work on the lanes, all due at once; returns when work on the documents of each lane began. */
async function startsOf(
  lanes: Readonly<Record<string, number>>,
  o: { readonly workMs: Readonly<Record<string, number>>; readonly forMs: number },
): Promise<ReadonlyMap<string, readonly number[]>> {
  const time = new VirtualTime(START);
  const claims = memoryClaims(new Date(START), lanes);
  const pace = memoryPace({ perSecond: 10, aheadMs: SWEEP_AHEAD_MS, clock: time });
  const begun = new Map<string, number[]>(Object.keys(lanes).map((lane) => [lane, []]));
  for (let replica = 0; replica < 3; replica += 1) {
    time.plan(
      replica * 333,
      () =>
        void startSweep({
          name: 'model',
          claims,
          pace,
          perLane: 20,
          inProgress: 500,
          claimMs: 90_000,
          clock: time,
          timers: time.timers(() => true),
          log: captureLog().log,
          work: async ({ lane }) => {
            begun.get(lane)?.push(time.nowMs - START);
            await time.delay(o.workMs[lane] ?? 200);
            return undefined;
          },
        }),
      true,
    );
  }
  await time.runUntil(START + o.forMs);
  return begun;
}

test('lanes are claimed beside each other, and all of them together stay within the bound', async () => {
  const time = new VirtualTime(START);
  const lanes = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`vendor-${index}`, 20]));
  const claims = memoryClaims(new Date(START), { stuck: 1, ...lanes });
  let [running, most, done] = [0, 0, 0];
  const start = () =>
    void startSweep({
      name: 'model',
      // As an operation of the database that takes its time.
      claims: {
        ...claims,
        claim: (lane, o) => (lane === 'stuck' ? new Promise(() => undefined) : claims.claim(lane, o)),
      },
      perLane: 20,
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

/** The most starts within any second. */
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

test('a lane with few documents is as fast beside 10 000 of a lane, or a lane that never answers, as alone', async () => {
  const others = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`vendor-${index}`, 10]));
  const hangs = { hangs: 24 * 60 * MINUTE_MS };
  const alone = await startsOf(others, { workMs: {}, forMs: MINUTE_MS });
  const beside = await startsOf(
    { crm: 10_000, hangs: 10_000, ...others },
    { workMs: hangs, forMs: MINUTE_MS },
  );
  for (const lane of Object.keys(others)) {
    expect(alone.get(lane)).toHaveLength(10);
    expect(beside.get(lane)).toEqual(alone.get(lane));
  }
  // What hangs has its own bound on each replica.
  expect(beside.get('hangs')).toHaveLength(60);
});
