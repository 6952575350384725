import { createAccountPermits } from '@fairlead/service-kit/permits/account-permits';
import { WAITING_LIMITS } from '@fairlead/service-kit/permits/permit-queue';
import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import { expect, onTestFinished, test } from 'vitest';
import { createFilePermits } from './file-permits.ts';

const WAIT_MS = 1_000;
const refused = { code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 1 };

/** Calls with files, and the permits that they share with other calls. */
function world(o: { readonly perPartition?: number } = {}) {
  const time = new VirtualTime(0);
  const timers = time.timers(() => true);
  const held = new Set<string>();
  const limits = { perAccount: 100, perPartition: o.perPartition ?? 20, ...WAITING_LIMITS };
  const isHeld = (_accountId: string, partition: string): boolean => held.has(partition);
  const permits = createAccountPermits(limits, timers, isHeld);
  const files = createFilePermits({ permits, isHeld, timers, nowMs: () => time.nowMs });
  onTestFinished(() => {
    files.close();
    permits.close();
  });
  const callIn =
    (of: Pick<typeof files, 'run'>) =>
    (accountId: string, partition = '7', signal = new AbortController().signal) => {
      const end = Promise.withResolvers<void>();
      const state: { hasWaited?: boolean } = {};
      const call = { accountId, partition, signal, waitMs: WAIT_MS, heldBytes: () => 1 };
      const ended = of.run(call, async (hasWaited) => {
        state.hasWaited = hasWaited;
        await end.promise;
      });
      ended.catch(() => undefined);
      return { ended, end, runs: () => state.hasWaited !== undefined, hasWaited: () => state.hasWaited };
    };
  const turn = () => new Promise(setImmediate);
  return { time, held, files, permits, call: callIn(files), plain: callIn(permits), turn };
}

type Call = ReturnType<ReturnType<typeof world>['call']>;

const running = (calls: readonly Call[]): number => calls.filter(({ runs }) => runs()).length;

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

test('four calls of an account run at once, whichever connections they have; one that ends starts the next, which learns that it waited', async () => {
  const { call, turn } = world();
  const calls = times(6, (index) => call('acc', String(index)));
  await turn();
  expect(calls.slice(0, 4).map(({ hasWaited }) => hasWaited())).toEqual([false, false, false, false]);
  expect(running(calls)).toBe(4);
  calls[0]?.end.resolve();
  calls[1]?.end.reject(new Error('broken'));
  await expect(calls[1]?.ended).rejects.toThrow('broken');
  await turn();
  expect(calls.slice(4).map(({ hasWaited }) => hasWaited())).toEqual([true, true]);
});

test('sixteen calls of all accounts run at once; further accounts have their turns', async () => {
  const { call, turn } = world();
  const calls = times(16, (index) => call(`acc ${index % 4}`));
  const [further, another] = [call('further'), call('another')];
  await turn();
  expect(running(calls)).toBe(16);
  expect(running([further, another])).toBe(0);
  calls[0]?.end.resolve();
  await turn();
  expect([further.hasWaited(), another.hasWaited()]).toEqual([true, undefined]);
});

test('calls that wait leave the permits of a connection to calls without files', async () => {
  const { call, plain, turn } = world({ perPartition: 5 });
  const calls = times(10, () => call('acc'));
  const without = plain('acc');
  await turn();
  expect(running(calls)).toBe(4);
  expect(without.hasWaited()).toBe(false);
});

test('all waits of a call together last no longer than it may wait; a refused call holds nothing', async () => {
  const { time, call, plain, turn } = world({ perPartition: 1 });
  const shares = times(4, (index) => call('acc', String(index)));
  const inConnection = plain('acc', '9');
  const late = call('acc', '9');
  await time.runUntil(WAIT_MS - 100);
  // The late call gets its share, and waits for the connection in its remaining time.
  shares[0]?.end.resolve();
  await turn();
  await time.runUntil(WAIT_MS - 1);
  const other = call('acc', '8');
  await time.runUntil(WAIT_MS);
  await expect(late.ended).rejects.toMatchObject(refused);
  await turn();
  expect(other.hasWaited()).toBe(true);
  inConnection.end.resolve();
  expect(late.runs()).toBe(false);
});

test('a caller who leaves takes its call out of the wait for a place', async () => {
  const { call, turn } = world();
  const calls = times(16, (index) => call(`acc ${index % 4}`));
  const caller = new AbortController();
  const gone = call('further', '7', caller.signal);
  await turn();
  caller.abort();
  await expect(gone.ended).rejects.toMatchObject({ code: 'TIMEOUT' });
  calls[0]?.end.resolve();
  await turn();
  expect(gone.runs()).toBe(false);
});

test('calls of a connection that is held take nothing from the others, and run once it no longer is', async () => {
  const { held, files, permits, call, turn } = world();
  held.add('7');
  const waiting = times(4, () => call('acc'));
  const others = times(2, () => call('acc', '8'));
  await turn();
  expect([running(waiting), running(others)]).toEqual([0, 2]);
  held.delete('7');
  permits.wake('acc');
  files.wake('acc');
  await turn();
  expect(running(waiting)).toBe(2);
});
