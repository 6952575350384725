import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import { expect, onTestFinished, test } from 'vitest';
import { createLargeTurns } from './large-turns.ts';

const MIB = 1024 * 1024;

function setUp() {
  const time = new VirtualTime(0);
  const turns = createLargeTurns(time.timers(() => true));
  onTestFinished(() => turns.close());
  const begun: string[] = [];
  const run = (
    accountId: string,
    name: string,
    { bytes = 4 * MIB, work = () => Promise.resolve(name) } = {},
  ) => {
    const { signal } = new AbortController();
    return turns.run({ accountId, bytes, signal }, () => {
      begun.push(name);
      return work();
    });
  };
  return { time, run, begun };
}

test('an account has 16 MiB captured in a second, each call answered at once; others do not wait for it', async () => {
  const { time, run, begun } = setUp();
  const first = run('noisy', 'first');
  const second = run('noisy', 'second');
  const other = run('quiet', 'other');
  expect(await first).toBe('first');
  expect(await other).toBe('other');
  await time.runUntil(249);
  expect(begun).toEqual(['first', 'other']);
  await time.runUntil(250);
  expect(await second).toBe('second');
});

test('a call that takes longer keeps the next waiting until its end', async () => {
  const { time, run, begun } = setUp();
  const slow = Promise.withResolvers<string>();
  const first = run('acc', 'first', { work: () => slow.promise });
  const second = run('acc', 'second');
  await time.runUntil(1_000);
  expect(begun).toEqual(['first']);
  slow.reject(new Error('broken'));
  await expect(first).rejects.toThrow('broken');
  expect(await second).toBe('second');
});

test('calls beyond those that may wait, and those whose turn does not come in time, are refused', async () => {
  const { time, run, begun } = setUp();
  const refused = { code: 'RATE_LIMIT_EXCEEDED' };
  void run('acc', 'hangs', { work: () => new Promise(() => undefined) });
  const waiting = Array.from({ length: 8 }, (_call, at) => run('acc', String(at)));
  const outcomes = Promise.allSettled(waiting);
  await expect(run('acc', 'too many')).rejects.toMatchObject(refused);
  await time.runUntil(5_000);
  for (const outcome of await outcomes)
    expect(outcome).toMatchObject({ status: 'rejected', reason: refused });
  expect(begun).toEqual(['hangs']);
});
