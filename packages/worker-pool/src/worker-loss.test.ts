import { expect, it, vi } from 'vitest';
import { PoolRefusalError, WorkerLostError } from './errors.ts';
import type { LossReason } from './errors.ts';
import { isAlive, startTestPool } from './testing/test-pool.ts';
import type { TestPool } from './testing/test-pool.ts';

/** Ends an account's worker by the job `lose`; returns the results for other calls and for the account. */
async function expectLoss(
  test: TestPool,
  lose: (pid: number) => Promise<unknown>,
  reason: LossReason,
): Promise<void> {
  const pid = Number(await test.run('hostile', 'pid'));
  const bystander = test.run('other', 'pid');
  const lost = lose(pid);
  await expect(lost).rejects.toThrow(WorkerLostError);
  await expect(lost).rejects.toMatchObject({ reason, wasStarted: true });
  expect(isAlive(pid)).toBe(false);
  expect(await test.run('other', 'pid')).toBe(await bystander);
  expect(await test.run('hostile', 'pid')).not.toBe(pid);
}

it.each<[string, NodeJS.Signals, LossReason]>([
  ['killed', 'SIGKILL', 'died'],
  ['stopped', 'SIGSTOP', 'unresponsive'],
])('a worker that is %s fails its own calls and is replaced', async (_name, signal, reason) => {
  const test = startTestPool({ unresponsiveMs: 1_000 });
  await expectLoss(
    test,
    (pid) => {
      const call = test.run('hostile', 'silent');
      process.kill(pid, signal);
      return call;
    },
    reason,
  );
});

it.each<[string, LossReason]>([
  ['spin', 'unresponsive'],
  ['spinInPattern', 'unresponsive'],
])('a worker in which a job runs for ever (%s) is killed', async (job, reason) => {
  const test = startTestPool({ unresponsiveMs: 1_000 });
  await expectLoss(test, () => test.run('hostile', job), reason);
});

it('a worker may start late that has not had the processor', async () => {
  const late = new URL('testing/late-worker.ts', import.meta.url);
  const { run } = startTestPool({ startMs: 3_000 }, late);
  expect(await run('a', 'pid')).toBeGreaterThan(0);
});

it('a worker that takes too long to start fails the calls it was started for', async () => {
  const late = new URL('testing/late-worker.ts', import.meta.url);
  const { run } = startTestPool({ startMs: 50 }, late);
  await expect(run('a', 'pid')).rejects.toMatchObject({ reason: 'start', wasStarted: false });
});

it.each(['fillHeap', 'growMap', 'fillBuffers'])(
  'a worker whose memory a job fills (%s) is killed',
  async (job) => {
    const test = startTestPool({ heapMb: 48, memoryMb: 192 });
    await expectLoss(test, () => test.run('hostile', job), 'memory');
  },
);

it.each<[string, LossReason]>([
  ['exit', 'died'],
  ['closeChannel', 'died'],
  ['throwInListener', 'uncaught'],
  ['rejectUnhandled', 'uncaught'],
  ['floodAnswers', 'protocol'],
  ['floodLog', 'protocol'],
  ['announceTooMuch', 'protocol'],
  ['sendGarbage', 'protocol'],
])('%s fails the calls of that worker only', async (job, reason) => {
  const test = startTestPool();
  await expectLoss(test, () => test.run('hostile', job), reason);
});

it('a worker whose job asks for its end gets no further call, and is not lost', async () => {
  const { run, log } = startTestPool({ callsPerWorker: 2, lossesPerMinute: 1 });
  const stop = new AbortController();
  await run('a', 'pid');
  const other = run('a', 'pidWhenCancelled', { signal: stop.signal });
  const first = await run('a', 'pidAndRetire');
  const second = await run('a', 'retireAndFail').catch((error: Error) => Number(error.message.split(' ')[1]));
  const third = await run('a', 'pid');
  expect(new Set([first, second, third]).size).toBe(3);
  // Calls that run already end.
  stop.abort();
  expect(await other).toBe(first);
  expect(log.lines()).not.toContainEqual(expect.objectContaining({ msg: 'a worker was lost' }));
});

it('what ended a worker is in the log, with its origin', async () => {
  const { run, log } = startTestPool();
  await expect(run('a', 'throwInListener')).rejects.toThrow(WorkerLostError);
  expect(log.lines()).toContainEqual(
    expect.objectContaining({
      level: 'error',
      msg: 'an uncaught error ended a worker',
      defect: expect.objectContaining({
        stack: expect.stringContaining('testing/worker.ts') as string,
      }) as object,
    }),
  );
});

it('every call of a lost worker fails at once', async () => {
  const { run } = startTestPool();
  const pid = Number(await run('a', 'pid'));
  const calls = Array.from({ length: 10 }, () => run('a', 'silent'));
  process.kill(pid, 'SIGKILL');
  const outcomes = await Promise.allSettled(calls);
  expect(
    outcomes.map((outcome) => outcome.status === 'rejected' && (outcome.reason as WorkerLostError).reason),
  ).toEqual(Array.from({ length: 10 }, () => 'died'));
});

it('an answer that was sent before the end of its worker counts', async () => {
  const { run } = startTestPool();
  const silent = run('a', 'silent');
  expect(await run('a', 'answerAndExit', { value: 'x' })).toBe('x');
  await expect(silent).rejects.toMatchObject({ reason: 'died' });
});

it('an account whose calls end workers again and again is refused, others are not', async () => {
  const { run } = startTestPool({ lossesPerMinute: 2 });
  // Losses that the system may have caused do not count. The others follow each other, because they count for a minute.
  for (const job of ['exit', 'exit', 'throwInListener', 'throwInListener'])
    await expect(run('a', job)).rejects.toThrow(WorkerLostError);
  await expect(run('a', 'pid')).rejects.toThrow(PoolRefusalError);
  await expect(run('a', 'pid')).rejects.toMatchObject({ reason: 'quarantined' });
  expect(await run('b', 'pid')).toBeTypeOf('number');
});

it('a job that uses more processor time than it may is ended; one that waits uses none', async () => {
  const { run } = startTestPool({ callsPerWorker: 1 });
  const stop = new AbortController();
  const waiting = run('patient', 'untilCancelled', { cpuMs: 300, signal: stop.signal });
  const spinning = run('hostile', 'spin', { cpuMs: 600 });
  await expect(spinning).rejects.toMatchObject({ reason: 'cpu', wasStarted: true });
  stop.abort();
  expect(await waiting).toBe('cancelled');
});

it('an account whose jobs are excused for what they use is served on', async () => {
  const { run } = startTestPool({ callsPerWorker: 1, lossesPerMinute: 2 });
  for (const _ of [1, 2, 3])
    await expect(run('a', 'spin', { cpuMs: 100, excessCounts: false })).rejects.toMatchObject({
      reason: 'cpu',
    });
  expect(await run('a', 'pid')).toBeTypeOf('number');
  const quarantined = { reason: 'quarantined' };
  // Losses for another reason do count.
  for (const _ of [1, 2])
    await expect(run('a', 'throwInListener', { excessCounts: false })).rejects.toMatchObject({
      reason: 'uncaught',
    });
  await expect(run('a', 'pid')).rejects.toMatchObject(quarantined);
  for (const _ of [1, 2])
    await expect(run('b', 'spin', { cpuMs: 100 })).rejects.toMatchObject({ reason: 'cpu' });
  await expect(run('b', 'pid')).rejects.toMatchObject(quarantined);
});

it('what the workers of an account use is told, to the end of each', async () => {
  const { pool, run, cpuMsOf } = startTestPool({ callsPerWorker: 1 });
  const spinning = run('hostile', 'spin', { cpuMs: 300 });
  await expect(Promise.all([spinning, run('patient', 'pid')])).rejects.toMatchObject({ reason: 'cpu' });
  await pool.close();
  // The limit is for the job alone, after the start.
  expect(cpuMsOf('hostile')).toBeGreaterThan(300);
  expect(cpuMsOf('patient')).toBeGreaterThan(0);
});

it('a pause of the service while a call is cancelled kills no worker', async () => {
  const { pool, run } = startTestPool({ cancelMs: 250 });
  const pid = Number(await run('a', 'pid'));
  const stop = new AbortController();
  const cancelled = run('a', 'untilCancelled', { signal: stop.signal });
  const other = run('a', 'silent');
  setImmediate(() => {
    stop.abort();
    for (const endsAt = performance.now() + 400; performance.now() < endsAt;);
  });
  await Promise.allSettled([cancelled]);
  expect(isAlive(pid)).toBe(true);
  await Promise.all([pool.close(), expect(other).rejects.toMatchObject({ reason: 'closed' })]);
});

it('a call that goes on after its time is no lost worker unless it blocks the event loop', async () => {
  const { run, log } = startTestPool({ lossesPerMinute: 1, unresponsiveMs: 3_000, cancelMs: 250 });
  const lost = { reason: 'unresponsive', wasStarted: true };
  await run('a', 'pid');
  await expect(run('a', 'silent', { timeoutMs: 50 })).rejects.toMatchObject(lost);
  const pid = Number(await run('a', 'pid'));
  await expect(run('a', 'spin', { timeoutMs: 50 })).rejects.toMatchObject(lost);
  await vi.waitUntil(() => log.lines().some(({ msg }) => msg === 'a worker was lost'), { timeout: 90_000 });
  expect(isAlive(pid)).toBe(false);
  await expect(run('a', 'pid')).rejects.toMatchObject({ reason: 'quarantined' });
});
