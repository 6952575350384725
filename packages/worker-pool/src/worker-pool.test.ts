import { fork } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { expect, it, vi } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import { JsonWithBytes } from './json-with-bytes.ts';
import { processorMs } from './process-usage.ts';
import { createWorkerPool } from './worker-pool.ts';
import { isAlive, startTestPool } from './testing/test-pool.ts';

it('returns what a job returns, and rejects with what it throws', async () => {
  const { run } = startTestPool();
  const value = { text: 'ü', list: [1, null, { a: true }] };
  expect(await run('a', 'echo', { value })).toEqual(value);
  await expect(run('a', 'fail')).rejects.toThrow('TypeError: the handler is wrong');
  await expect(run('a', 'tooLarge')).rejects.toThrow('too large');
});

it('passes on the text of a job, and what is deferred in one, as they are', async () => {
  const { pool } = startTestPool({ jobBytes: 1_000_000 });
  const options = { signal: new AbortController().signal, timeoutMs: 60_000 };
  const json = Buffer.from(`["ü",${'1,'.repeat(200_000)}1]`);
  const job = {
    name: 'echo',
    value: { list: [new LazyJson(json), { of: new LazyJson(Buffer.from('{"a":1}')) }, 'ü'] },
  };
  const sent = [
    pool.run('a', job, options),
    pool.run('a', new LazyJson(Buffer.from('{"name":"echo","value":1.0}')), options),
  ];
  const [echoed, one] = await Promise.all(sent);
  expect(one).toBe(1);
  expect(echoed).toEqual({ list: [JSON.parse(json.toString()), { of: { a: 1 } }, 'ü'] });
  await expect(
    pool.run('a', { name: 'echo', value: new LazyJson(Buffer.alloc(1_000_000, '[')) }, options),
  ).rejects.toMatchObject({
    reason: 'tooLarge',
  });
});

it('passes bytes on beside a job and its result, those of each call with it', async () => {
  const { pool } = startTestPool({ maxWorkers: 2, workersPerAccount: 1 });
  const options = { signal: new AbortController().signal, timeoutMs: 60_000 };
  // Small bodies arrive in one chunk of the channel, large ones in several.
  const calls = [3, 300_000, 0, 70_000].map(async (length, value) => {
    const bytes = Uint8Array.from({ length }, (_byte, at) => (at + value) % 251);
    const result = await pool.run('a', new JsonWithBytes({ name: 'echoBytes', value }, bytes), options);
    expect(result).toEqual(new JsonWithBytes(value, Buffer.from(bytes.toReversed())));
  });
  await Promise.all(calls);
  await expect(pool.run('a', { name: 'tooManyBytes' }, options)).rejects.toThrow('too large');
});

it('a job asks its caller whether it may go on, which it may not once it is cancelled', async () => {
  const { pool } = startTestPool();
  const caller = new AbortController();
  const options = { signal: caller.signal, timeoutMs: 60_000 };
  for (const mayGoOn of [true, false])
    expect(await pool.run('a', { name: 'ask' }, { ...options, onAsk: () => Promise.resolve(mayGoOn) })).toBe(
      mayGoOn,
    );
  const failing = () => Promise.reject(new Error('not known'));
  expect(await pool.run('a', { name: 'ask' }, { ...options, onAsk: failing })).toBe(false);
  expect(await pool.run('a', { name: 'ask' }, options)).toBe(false);
  const onAsk = () => {
    caller.abort();
    return new Promise<boolean>(() => {});
  };
  expect(await pool.run('a', { name: 'askWhenCancelled' }, { ...options, onAsk })).toEqual([false, false]);
});

it('a worker that asks without end is ended', async () => {
  const { pool } = startTestPool();
  const options = { signal: new AbortController().signal, timeoutMs: 60_000 };
  const endless = pool.run('a', { name: 'askTooOften' }, { ...options, onAsk: () => Promise.resolve(true) });
  await expect(endless).rejects.toMatchObject({ reason: 'protocol' });
});

it('a job with more bytes than a job may have is refused', async () => {
  const { pool } = startTestPool({ jobBytes: 1_000 });
  const job = new JsonWithBytes({ name: 'echoBytes' }, new Uint8Array(1_000));
  const options = { signal: new AbortController().signal, timeoutMs: 60_000 };
  await expect(pool.run('a', job, options)).rejects.toMatchObject({ reason: 'tooLarge' });
});

it('a worker has no environment, reads no file but its code and starts no process', async () => {
  const { run } = startTestPool();
  expect(await run('a', 'environment')).toEqual({ names: [], argv: [] });
  for (const value of [`/proc/${process.pid}/environ`, '/proc/self/environ', '/etc/passwd']) {
    await expect(run('a', 'readFile', { value })).rejects.toThrow('restricted');
  }
  await expect(run('a', 'startProcess')).rejects.toThrow('restricted');
});

it.each([
  ['connect', 'network is restricted'],
  ['secure', 'network is restricted'],
  ['request', 'network is restricted'],
  ['fetch', 'network is restricted'],
  ['listen', 'network is restricted'],
  ['datagram', 'network is restricted'],
  ['socketHandle', 'network is restricted'],
  ['handle', 'network is restricted'],
  ['signal', 'other processes is restricted'],
  ['debugger', 'other processes is restricted'],
  ['name', 'network is restricted'],
  ['lookup', 'network is restricted'],
  ['restore', 'Cannot redefine'],
  ['addOn', 'Cannot load native addon'],
  ['binding', 'process.binding'],
  ['thread', 'restricted'],
  ['inspector', 'restricted'],
])('a worker that needs no network has no way out by %s, and the error says so', async (name, text) => {
  const { run } = startTestPool({}, new URL('testing/offline-worker.ts', import.meta.url));
  await expect(run('a', name)).rejects.toThrow(text);
});

it('a worker gets the processor after the services', async () => {
  const { run } = startTestPool();
  expect(getPriority(Number(await run('a', 'pid')))).toBeGreaterThanOrEqual(10);
});

it('writes the log of a worker to the log of the service', async () => {
  const { run, log } = startTestPool();
  await run('a', 'pid');
  expect(log.lines()).toContainEqual(
    expect.objectContaining({
      msg: 'a worker of the tests has started',
      service: 'test',
      worker: { settings: { region: 'here' } },
    }),
  );
});

it('calls of an account share its worker up to the limit, then its other workers, then they wait', async () => {
  const { run } = startTestPool({ maxWorkers: 8, workersPerAccount: 2, callsPerWorker: 3 });
  // Waits until both workers have started.
  await Promise.all(Array.from({ length: 20 }, () => run('a', 'pid')));
  const stop = new AbortController();
  const calls = Array.from({ length: 7 }, () => run('a', 'pidWhenCancelled', { signal: stop.signal }));
  stop.abort();
  const outcomes = await Promise.allSettled(calls);
  const pids = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const [first] = pids;
  expect([pids.length, new Set(pids).size, pids.filter((pid) => pid === first).length]).toEqual([6, 2, 3]);
});

it('an account that has all of its workers shares them among more calls', async () => {
  const { run } = startTestPool({
    maxWorkers: 8,
    workersPerAccount: 2,
    callsPerWorker: 3,
    maxCallsPerWorker: 5,
  });
  const stop = new AbortController();
  const calls = Array.from({ length: 10 }, () => run('a', 'pidWhenCancelled', { signal: stop.signal }));
  const refused = run('a', 'pid', { signal: stop.signal });
  // These accounts' workers start, so none of the ten calls is refused.
  await Promise.all(['b', 'c'].map((account) => run(account, 'pid')));
  stop.abort();
  await expect(refused).rejects.toMatchObject({ reason: 'busy' });
  const outcomes = await Promise.allSettled(calls);
  const pids = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  expect(new Set(pids).size).toBeLessThanOrEqual(2);
});

it('no worker is there before the first call, nor some time after the last', async () => {
  const { run } = startTestPool({ idleMs: 100 });
  const workers = (): string | undefined => /^worker_pool_workers (\d+)$/m.exec(registry.render())?.[1];
  expect(workers()).toBe('0');
  const pid = Number(await run('a', 'pid'));
  await vi.waitUntil(() => !isAlive(pid), { timeout: 90_000 });
  await vi.waitUntil(() => workers() === '0', { timeout: 90_000 });
  expect(await run('a', 'pid')).not.toBe(pid);
});

it('nothing of an account is left for the next one', async () => {
  const { run } = startTestPool({ maxWorkers: 1 });
  await run('a', 'remember', { value: 'secret of a' });
  expect(await run('a', 'recall')).toEqual(['secret of a']);
  const pid = await run('a', 'pid');
  expect(await run('b', 'recall')).toEqual([]);
  expect(await run('b', 'pid')).not.toBe(pid);
  expect(await run('a', 'recall')).toEqual([]);
});

it('one account cannot hold the workers that others wait for', async () => {
  const { run } = startTestPool({ maxWorkers: 1, callsPerWorker: 1, sliceMs: 0 });
  const order: string[] = [];
  const call = (account: string): Promise<unknown> => run(account, 'pid').then(() => order.push(account));
  const calls = [...Array.from({ length: 30 }, () => call('greedy')), call('b'), call('c')];
  await Promise.all(calls);
  expect(order).toHaveLength(32);
  expect(Math.max(order.indexOf('b'), order.indexOf('c'))).toBeLessThan(15);
});

it('a second worker of an account goes to an account that has none', async () => {
  const { run } = startTestPool({ maxWorkers: 4, workersPerAccount: 2, callsPerWorker: 1 });
  for (const account of ['c', 'd']) {
    await run(account, 'pid');
    run(account, 'silent').catch(() => undefined);
  }
  await Promise.all([run('greedy', 'pid'), run('greedy', 'pid')]);
  const stop = [new AbortController(), new AbortController()];
  const held = stop.map(({ signal }) => run('greedy', 'pidWhenCancelled', { signal }));
  const next = run('b', 'pid');
  const queued = run('greedy', 'pid');
  // The older worker ends; the other stays.
  stop[0]?.abort();
  await held[0];
  stop[1]?.abort();
  const pids = await Promise.all(held);
  expect(pids).not.toContain(await next);
  expect(pids).toContain(await queued);
});

it('one account has half of the workers at most', async () => {
  const { run } = startTestPool({ maxWorkers: 2, workersPerAccount: 2, callsPerWorker: 1 });
  await run('greedy', 'pid');
  const stop = new AbortController();
  const held = [1, 2].map(() => run('greedy', 'untilCancelled', { signal: stop.signal }));
  // If it had both workers, the account would keep the other one waiting.
  await run('b', 'pid');
  stop.abort();
  const outcomes = await Promise.allSettled(held);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
});

it('a call that waits in vain is refused at its deadline, one too many at once', async () => {
  const { run } = startTestPool({
    maxWorkers: 1,
    workersPerAccount: 1,
    callsPerWorker: 1,
    waitingPerAccount: 1,
  });
  const stop = new AbortController();
  const held = run('a', 'untilCancelled', { signal: stop.signal });
  const waiting = run('a', 'pid', { timeoutMs: 50 });
  await expect(run('a', 'pid')).rejects.toMatchObject({ name: 'PoolRefusalError', reason: 'queueFull' });
  await expect(waiting).rejects.toMatchObject({ name: 'PoolRefusalError', reason: 'busy' });
  const cancelled = new AbortController();
  const unwanted = run('a', 'pid', { signal: cancelled.signal });
  cancelled.abort();
  await expect(unwanted).rejects.toMatchObject({ name: 'PoolRefusalError', reason: 'busy' });
  stop.abort();
  await Promise.allSettled([held]);
});

it('a job above the limit is refused, and large ones of an account wait for each other', async () => {
  const { run } = startTestPool({ jobBytes: 1_000, workersPerAccount: 1, waitingBytesPerAccount: 1_500 });
  const value = 'x'.repeat(900);
  await expect(run('a', 'echo', { value: `${value}${value}` })).rejects.toMatchObject({ reason: 'tooLarge' });
  const two = [run('a', 'echo', { value }), run('a', 'echo', { value })];
  await expect(run('a', 'echo', { value })).rejects.toMatchObject({ reason: 'queueFull' });
  expect(await Promise.all(two)).toEqual([value, value]);
});

it('cancellation and the deadline reach the job', async () => {
  const { run } = startTestPool();
  await run('a', 'pid');
  const stop = new AbortController();
  const call = run('a', 'untilCancelled', { signal: stop.signal });
  stop.abort();
  expect(await call).toBe('cancelled');
  expect(await run('a', 'untilCancelled', { timeoutMs: 50 })).toBe('cancelled');
  expect(await run('a', 'timeLeft', { timeoutMs: 30_000 })).toBeLessThanOrEqual(30_000);
});

it('a job that ignores its deadline fails soon after it, and its worker ends with its other calls', async () => {
  const { run } = startTestPool({ cancelMs: 1_000 });
  const pid = Number(await run('a', 'pid'));
  const stop = new AbortController();
  const other = run('a', 'untilCancelled', { signal: stop.signal });
  await expect(run('a', 'silent', { timeoutMs: 50 })).rejects.toMatchObject({
    reason: 'unresponsive',
    wasStarted: true,
  });
  expect(await run('a', 'pid')).not.toBe(pid);
  stop.abort();
  expect(await other).toBe('cancelled');
  await vi.waitUntil(() => !isAlive(pid), { timeout: 90_000 });
});

it('a worker that does not start fails the calls it was started for, of which nothing was executed', async () => {
  const pool = createWorkerPool({
    name: 'tests',
    entry: new URL('testing/no-such-worker.ts', import.meta.url),
    settings: null,
    log: startTestPool().log.log,
  });
  const call = pool.run('a', {}, { signal: new AbortController().signal, timeoutMs: 60_000 });
  await expect(call).rejects.toMatchObject({ name: 'WorkerLostError', reason: 'start', wasStarted: false });
  await pool.close();
});

it('closing lets calls end within the grace period, then ends the workers', async () => {
  const { pool, run } = startTestPool({ maxWorkers: 2, workersPerAccount: 1, callsPerWorker: 1 });
  const pids = await Promise.all(['a', 'b'].map(async (account) => Number(await run(account, 'pid'))));
  const stop = new AbortController();
  const ending = run('a', 'untilCancelled', { signal: stop.signal });
  const endless = run('b', 'silent');
  const waiting = run('a', 'pid');
  const closed = pool.close(5_000);
  await expect(waiting).rejects.toMatchObject({ name: 'PoolRefusalError', reason: 'closed' });
  await expect(run('a', 'pid')).rejects.toMatchObject({ reason: 'closed' });
  stop.abort();
  expect(await ending).toBe('cancelled');
  await expect(endless).rejects.toMatchObject({ name: 'WorkerLostError', reason: 'closed' });
  await closed;
  expect(pids.map(isAlive)).toEqual([false, false]);
});

it('a signal that asks the whole process group to stop leaves calls to the service', async () => {
  const { run } = startTestPool();
  const pid = Number(await run('a', 'pid'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.kill(pid, signal);
  expect(await run('a', 'pid')).toBe(pid);
});

it('workers end with their service, even if it is killed', async () => {
  const service = fork(new URL('testing/service.ts', import.meta.url), ['silent']);
  const [pid] = (await once(service, 'message')) as [number];
  expect(isAlive(pid)).toBe(true);
  service.kill('SIGKILL');
  await vi.waitUntil(() => !isAlive(pid), { timeout: 90_000 });
});

it('a worker that spins ends with its service, even if it is killed', async () => {
  const service = fork(new URL('testing/service.ts', import.meta.url), ['spin']);
  const [pid] = (await once(service, 'message')) as [number];
  const before = processorMs(pid) ?? 0;
  // Far more than the event loop of an idle worker uses.
  await vi.waitUntil(() => (processorMs(pid) ?? 0) > before + 200, { timeout: 90_000 });
  expect(isAlive(pid)).toBe(true);
  service.kill('SIGKILL');
  await vi.waitUntil(() => !isAlive(pid), { timeout: 90_000 });
});

it('a thousand calls leave no timer, listener, file or waiting call', async () => {
  const { run } = startTestPool();
  const { signal } = new AbortController();
  const use = async (count: number): Promise<void> => {
    const one = async (at: number): Promise<void> => {
      expect(await run('a', 'echo', { value: at, signal })).toBe(at);
    };
    for (let done = 0; done < count; done += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, at) => one(done + at)));
    }
  };
  const state = () => ({
    // The test runner itself opens and closes timers and files.
    timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
    files: readdirSync('/proc/self/fd').length,
    listeners: getEventListeners(signal, 'abort').length,
  });
  await use(50);
  const before = state();
  await use(1_000);
  const after = state();
  expect(after.timers).toBeLessThan(before.timers + 50);
  expect(after.files).toBeLessThan(before.files + 50);
  expect(after.listeners).toBe(before.listeners);
});

it('counts calls and lost workers', async () => {
  const { run } = startTestPool();
  await expect(run('a', 'exit')).rejects.toThrow('ended');
  await run('a', 'pid');
  const page = registry.render();
  expect(page).toMatch(/^worker_pool_calls_total\{pool="tests",outcome="ok"\} \d+$/m);
  expect(page).toMatch(/^worker_pool_calls_total\{pool="tests",outcome="died"\} \d+$/m);
  expect(page).toMatch(/^worker_pool_workers_lost_total\{pool="tests",reason="died"\} \d+$/m);
  expect(page).toMatch(/^worker_pool_start_duration_seconds_count\{pool="tests"\} \d+$/m);
});
