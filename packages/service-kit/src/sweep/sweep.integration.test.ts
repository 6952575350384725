import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { ManualClock, systemClock } from '../clock.ts';
import type { Clock } from '../clock.ts';
import type { BackgroundWork } from '../lifecycle/background.ts';
import type { MongoStore } from '../mongo/mongo.ts';
import { DUE_PATH, fastTimers, job, jobCollection } from '../testing/due-jobs.ts';
import type { JobDocument } from '../testing/due-jobs.ts';
import { captureLog } from '../testing/log-lines.ts';
import { testStore } from '../testing/mongo.ts';
import { createClaims } from './claims.ts';
import type { Claim, Settlement } from './claims.ts';
import { startSweep } from './sweep.ts';

let store: MongoStore & { drop(): Promise<void> };
const sweeps: BackgroundWork[] = [];
const { log, lines } = captureLog();

beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [jobCollection]);
});
afterAll(() => store.drop());
beforeEach(() => store.collection(jobCollection).deleteMany({}));
afterEach(async () => {
  await Promise.all(sweeps.splice(0).map((sweep) => sweep.close()));
});

type Work = (claimed: Claim<JobDocument>) => Promise<Settlement | undefined>;

function sweep(
  work: Work,
  o: { clock?: Clock; perPartition?: number; inProgress?: number } = {},
): BackgroundWork {
  const started = startSweep({
    name: 'jobs',
    claims: createClaims(store, jobCollection, DUE_PATH),
    work,
    perPartition: 10,
    inProgress: 100,
    claimMs: 30_000,
    clock: systemClock,
    timers: fastTimers,
    log,
    ...o,
  });
  sweeps.push(started);
  return started;
}

const done =
  (name: string): Work =>
  ({ document }) =>
    Promise.resolve({ at: null, set: { runs: [...document.runs, name] } });
const insert = (...jobs: JobDocument[]) => store.collection(jobCollection).insertMany(jobs);
const left = () => store.collection(jobCollection).countDocuments({ 'work.due': { $ne: null } });
const runs = async (): Promise<string[][]> =>
  (await store.collection(jobCollection).find().sort({ _id: 1 }).toArray()).map((each) => [...each.runs]);
const past = new Date(0);

test('two runners share what is due: each document is worked on once', async () => {
  await insert(...Array.from({ length: 200 }, (_, index) => job(index, `partition-${index % 7}`, past)));
  sweep(done('one'));
  sweep(done('two'));
  await expect.poll(left).toBe(0);
  expect((await runs()).filter(({ length }) => length !== 1)).toEqual([]);
});

test('what is not due, or no longer, is left alone; what is due again is worked on again', async () => {
  const clock = new ManualClock(new Date());
  const later = new Date(clock.now().getTime() + 60_000);
  await insert(job(1, 'a', past), job(2, 'a', later));
  const work: Work = ({ document }) =>
    Promise.resolve({
      at: document.runs.length === 0 ? later : null,
      set: { runs: [...document.runs, 'run'] },
    });
  sweep(work, { clock });
  await expect.poll(runs).toEqual([['run'], []]);
  clock.advance(60_000);
  await expect.poll(left).toBe(0);
  expect(await runs()).toEqual([
    ['run', 'run'],
    ['run', 'run'],
  ]);
});

test('a partition that hangs keeps no other one waiting, and has no more in progress than its bound', async () => {
  await insert(...Array.from({ length: 50 }, (_, index) => job(index, 'hangs', past)));
  await insert(
    ...Array.from({ length: 20 }, (_, index) => job(100 + index, `partition-${index}`, new Date(index))),
  );
  const { promise: forever, resolve } = Promise.withResolvers<undefined>();
  let hanging = 0;
  sweep(({ document, partition }) => {
    if (partition !== 'hangs')
      return Promise.resolve({ at: null, set: { runs: [...document.runs, 'done'] } });
    hanging += 1;
    return forever;
  });
  await expect.poll(left).toBe(50);
  expect(hanging).toBe(10);
  resolve(undefined);
});

test('a runner that was paused past its claim settles nothing once another one has taken it', async () => {
  const clock = new ManualClock(new Date());
  await insert(job(1, 'a', past));
  const paused = Promise.withResolvers<undefined>();
  const began = Promise.withResolvers<undefined>();
  const first = sweep(
    async ({ document }) => {
      began.resolve(undefined);
      await paused.promise;
      return { at: null, set: { runs: [...document.runs, 'paused'] } };
    },
    { clock },
  );
  await began.promise;
  clock.advance(32_000);
  sweep(done('other'), { clock });
  await expect.poll(runs).toEqual([['other']]);
  paused.resolve(undefined);
  await first.close();
  expect(await runs()).toEqual([['other']]);
  expect(lines().some(({ msg }) => msg === 'dropped the result of work whose claim was lost')).toBe(true);
});

test('what fails is tried again once its claim has expired', async () => {
  const clock = new ManualClock(new Date());
  await insert(job(1, 'a', past));
  let attempts = 0;
  const work: Work = (claimed) => {
    attempts += 1;
    return attempts === 1 ? Promise.reject(new Error('no')) : done('second')(claimed);
  };
  sweep(work, { clock });
  await expect.poll(() => attempts).toBe(1);
  clock.advance(32_000);
  await expect.poll(runs).toEqual([['second']]);
});

test('a close waits for what has begun, and releases nothing of it', async () => {
  await insert(job(1, 'a', past));
  const began = Promise.withResolvers<undefined>();
  const end = Promise.withResolvers<undefined>();
  const runner = sweep(async (claimed) => {
    began.resolve(undefined);
    await end.promise;
    return done('finished')(claimed);
  });
  await began.promise;
  const closing = runner.close();
  end.resolve(undefined);
  await closing;
  expect(await runs()).toEqual([['finished']]);
});

test('what a process had claimed when it was killed in the middle of a batch is worked on by another one, and the rest is not', async () => {
  await insert(...Array.from({ length: 20 }, (_, index) => job(index, 'a', past)));
  const script = fileURLToPath(new URL('../testing/sweep-process.ts', import.meta.url));
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, MONGODB_URI: inject('mongodbUri'), MONGODB_DATABASE: store.db.databaseName },
    stdio: 'ignore',
  });
  await expect.poll(left).toBe(10);
  child.kill('SIGKILL');
  await once(child, 'exit');
  sweep(done('survivor'));
  await expect.poll(left).toBe(0);
  expect(await runs()).toEqual(
    Array.from({ length: 20 }, (_, index) => [index % 2 === 0 ? 'process' : 'survivor']),
  );
});
