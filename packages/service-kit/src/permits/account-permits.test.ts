import { expect, test } from 'vitest';
import { registry } from '../telemetry/service-metrics.ts';
import { VirtualTime } from '../testing/virtual-time.ts';
import { createAccountPermits } from './account-permits.ts';
import type { PermitCall } from './account-permits.ts';
import type { PermitLimits } from './permit-queue.ts';

const ROOMY: PermitLimits = { perAccount: 100, perPartition: 100, waiting: 100, waitingBytes: 1_000 };
const WAIT_MS = 1_000;

/** Calls named `<account>/<partition>/<anything>`, each of which runs until the test ends it. */
function world(limits: Partial<PermitLimits>) {
  const time = new VirtualTime(0);
  const permits = createAccountPermits(
    { ...ROOMY, ...limits },
    time.timers(() => true),
  );
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const started: string[] = [];
  const call = (name: string, o: Partial<PermitCall> = {}): Promise<boolean> => {
    const [accountId = '', partition = ''] = name.split('/');
    const gate = Promise.withResolvers<void>();
    gates.set(name, gate);
    const signal = new AbortController().signal;
    const ended = permits.run(
      { accountId, partition, signal, waitMs: WAIT_MS, heldBytes: () => 1, ...o },
      async (hasWaited) => {
        started.push(name);
        await gate.promise;
        return hasWaited;
      },
    );
    // Handles refusals that a test does not await.
    ended.catch(() => {});
    return ended;
  };
  const end = async (name: string): Promise<void> => {
    gates.get(name)?.resolve();
    await new Promise(setImmediate);
  };
  return { time, permits, started, call, end };
}

const refused = { code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 1 };

test('an account runs as many calls at once as it may; another account does not wait for it', async () => {
  const { started, call, end } = world({ perAccount: 2 });
  const calls = ['noisy/a/1', 'noisy/b/2', 'noisy/c/3', 'quiet/a/1'].map((name) => call(name));
  expect(started).toEqual(['noisy/a/1', 'noisy/b/2', 'quiet/a/1']);
  await end('noisy/b/2');
  expect(started.slice(3)).toEqual(['noisy/c/3']);
  for (const name of ['noisy/a/1', 'noisy/c/3', 'quiet/a/1']) await end(name);
  // Only the third one had to wait.
  expect(await Promise.all(calls)).toEqual([false, false, true, false]);
});

test('a partition runs as many calls at once as it may, in their order; another partition of the account does not wait for it', async () => {
  const { started, call, end } = world({ perPartition: 1 });
  for (const name of ['acc/slow/1', 'acc/slow/2', 'acc/slow/3', 'acc/fast/1']) void call(name);
  expect(started).toEqual(['acc/slow/1', 'acc/fast/1']);
  await end('acc/slow/1');
  await end('acc/slow/2');
  expect(started.slice(2)).toEqual(['acc/slow/2', 'acc/slow/3']);
});

test('the partitions of an account have their turns, however many calls of one of them wait', async () => {
  const { started, call, end } = world({ perAccount: 1 });
  for (const name of ['acc/a/0', 'acc/a/1', 'acc/a/2', 'acc/a/3', 'acc/b/1', 'acc/c/1', 'acc/b/2'])
    void call(name);
  for (let next = 0; next < started.length; next += 1) await end(started[next] ?? '');
  expect(started).toEqual(['acc/a/0', 'acc/a/1', 'acc/b/1', 'acc/c/1', 'acc/a/2', 'acc/b/2', 'acc/a/3']);
});

test('a partition without a free permit loses its turn to one that has one', async () => {
  const { started, call, end } = world({ perAccount: 2, perPartition: 1 });
  for (const name of ['acc/a/1', 'acc/b/1', 'acc/a/2', 'acc/c/1']) void call(name);
  await end('acc/b/1');
  expect(started).toEqual(['acc/a/1', 'acc/b/1', 'acc/c/1']);
  await end('acc/a/1');
  expect(started.slice(3)).toEqual(['acc/a/2']);
});

test('a call that waits too long is refused with the time to wait and never runs', async () => {
  const { time, started, call, end } = world({ perAccount: 1 });
  void call('acc/a/1');
  const late = call('acc/a/2');
  const patient = call('acc/a/3', { waitMs: 2 * WAIT_MS });
  await time.runUntil(WAIT_MS);
  await expect(late).rejects.toMatchObject(refused);
  await end('acc/a/1');
  expect(started).toEqual(['acc/a/1', 'acc/a/3']);
  // The call's maximum wait is over, but the call runs.
  await time.runUntil(3 * WAIT_MS);
  await end('acc/a/3');
  await expect(patient).resolves.toBe(true);
});

test('as many calls and bytes of an account wait as may; more are refused at once, those of others are not', async () => {
  const { call } = world({ perAccount: 1, waiting: 2, waitingBytes: 10 });
  void call('acc/a/1', { heldBytes: () => expect.unreachable('it does not wait') });
  void call('acc/a/2', { heldBytes: () => 6 });
  await expect(call('acc/a/3', { heldBytes: () => 5 })).rejects.toMatchObject(refused);
  void call('acc/a/4', { heldBytes: () => 4 });
  await expect(call('acc/a/5', { heldBytes: () => 0 })).rejects.toMatchObject(refused);
  void call('other/a/1');
  const ended = call('other/a/2');
  await expect(Promise.race([ended, Promise.resolve('waits')])).resolves.toBe('waits');
});

test('a call whose caller leaves gives up its place and its bytes at once', async () => {
  const { started, call, end } = world({ perAccount: 1, waiting: 1, waitingBytes: 10 });
  void call('acc/a/1');
  const caller = new AbortController();
  const gone = call('acc/a/2', { signal: caller.signal, heldBytes: () => 10 });
  caller.abort();
  void call('acc/a/3', { heldBytes: () => 10 });
  await expect(gone).rejects.toMatchObject({ code: 'TIMEOUT' });
  await end('acc/a/1');
  expect(started).toEqual(['acc/a/1', 'acc/a/3']);
});

test('a call whose caller has left does not start, and keeps no permit', async () => {
  const { started, call } = world({ perAccount: 1 });
  await expect(call('acc/a/1', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'TIMEOUT' });
  void call('acc/a/2');
  expect(started).toEqual(['acc/a/2']);
});

test.each([0, 1, 2, 3, 4, 5, 6])(
  'an abort around the moment of the handover (%i microtasks later) does not take another call’s permit',
  async (hops) => {
    const { started, call, end } = world({ perAccount: 1 });
    const caller = new AbortController();
    const first = call('acc/a/1');
    const second = call('acc/a/2', { signal: caller.signal });
    void call('acc/a/3');
    const ended = end('acc/a/1');
    for (let hop = 0; hop < hops; hop += 1) await Promise.resolve();
    caller.abort();
    await Promise.all([first, ended, end('acc/a/2')]);
    await Promise.allSettled([second]);
    await expect.poll(() => started.at(-1)).toBe('acc/a/3');
  },
);

test('a failing call frees its permit', async () => {
  const { permits, started, call } = world({ perAccount: 1 });
  const failing = { accountId: 'acc', partition: 'a', signal: new AbortController().signal, waitMs: 0 };
  const run = permits.run({ ...failing, heldBytes: () => 1 }, () => Promise.reject(new Error('vendor')));
  await expect(run).rejects.toThrow('vendor');
  void call('acc/a/1');
  expect(started).toEqual(['acc/a/1']);
});

test('waiting calls are on the metrics page until the permits are closed', () => {
  const { permits, call } = world({ perAccount: 1 });
  const waiting = () => /^account_slots_waiting_calls (\d+)$/m.exec(registry.render())?.[1];
  const before = Number(waiting());
  void call('acc/a/1');
  void call('acc/a/2');
  expect(Number(waiting())).toBe(before + 1);
  permits.close();
  expect(Number(waiting())).toBe(before);
});

test('a partition with limits of its own leaves the rest of the account, and of its queue, to the other partitions', async () => {
  const { started, call, end } = world({ perAccount: 3, waiting: 2 });
  const partitionLimits = { running: 1, waiting: 1 };
  const own = ['1', '2', '3'].map((name) => call(`acc/greedy/${name}`, { partitionLimits }));
  await expect(own[2]).rejects.toMatchObject(refused);
  const others = ['1', '2', '3'].map((name) => call(`acc/other/${name}`));
  expect(started).toEqual(['acc/greedy/1', 'acc/other/1', 'acc/other/2']);
  // The partition is full although the account is not.
  await end('acc/other/1');
  await end('acc/other/2');
  expect(started.slice(3)).toEqual(['acc/other/3']);
  await end('acc/greedy/1');
  expect(started.slice(4)).toEqual(['acc/greedy/2']);
  for (const name of ['acc/other/3', 'acc/greedy/2']) await end(name);
  await Promise.all([...own.slice(0, 2), ...others]);
});

test('the calls of a partition that is held wait, those of others do not, and go on when it is no longer', async () => {
  const held = new Set(['limited']);
  const permits = createAccountPermits(
    { perAccount: 2, perPartition: 2, waiting: 10, waitingBytes: 1_000 },
    undefined,
    (_account, partition) => held.has(partition),
  );
  const { signal } = new AbortController();
  const ran: string[] = [];
  const run = (name: string, partition: string) =>
    permits.run(
      { accountId: 'a', partition, signal, waitMs: 60_000, heldBytes: () => 1 },
      async (hasWaited) => {
        ran.push(`${name} ${hasWaited}`);
      },
    );
  const calls = ['1', '2', '3'].map((name) => run(name, 'limited'));
  await run('4', 'free');
  permits.wake('a');
  expect(ran).toEqual(['4 false']);
  held.clear();
  permits.wake('a');
  await Promise.all(calls);
  expect(ran).toEqual(['4 false', '1 true', '2 true', '3 true']);
  permits.close();
});
