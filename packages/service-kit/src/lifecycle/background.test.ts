import { expect, onTestFinished, test, vi } from 'vitest';
import { repeatInBackground } from './background.ts';
import type { RepeatedWork } from './background.ts';
import { captureLog } from '../testing/log-lines.ts';

function repeat(work: (signal: AbortSignal) => Promise<void>, everyMs = 1) {
  const { log, lines } = captureLog();
  const background: RepeatedWork = repeatInBackground({ name: 'counting', everyMs, log, work });
  onTestFinished(() => background.close());
  return { background, messages: () => lines().map(({ msg }) => msg) };
}

test('work is repeated, one run at a time', async () => {
  let running = 0;
  let most = 0;
  let runs = 0;
  repeat(async () => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    runs += 1;
  });
  await vi.waitUntil(() => runs > 3, { timeout: 90_000 });
  expect(most).toBe(1);
});

test('a failure is logged once, does not end the work, and its end is logged', async () => {
  let runs = 0;
  const { messages } = repeat(() => {
    runs += 1;
    return runs < 4 ? Promise.reject(new Error('away')) : Promise.resolve();
  });
  await vi.waitUntil(() => runs > 5, { timeout: 90_000 });
  expect(messages()).toEqual([
    'background work failed and will be tried again',
    'background work succeeds again',
  ]);
});

test('closing aborts the current run, waits for it, and starts no other', async () => {
  let runs = 0;
  let isOver = false;
  const started = Promise.withResolvers<void>();
  const { background, messages } = repeat(async (signal) => {
    runs += 1;
    started.resolve();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await Promise.resolve();
    isOver = true;
    throw new Error('aborted');
  });
  await started.promise;
  await background.close();
  expect({ runs, isOver, messages: messages() }).toEqual({ runs: 1, isOver: true, messages: [] });
});

test('woken work runs at once, and once more if it is running', async () => {
  const DAY_MS = 24 * 60 * 60_000;
  let runs = 0;
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { background } = repeat(() => gates[(runs += 1) - 1]?.promise ?? Promise.resolve(), DAY_MS);
  background.wake();
  background.wake();
  expect(runs).toBe(1);
  gates[0]?.resolve();
  await vi.waitUntil(() => runs === 2, { timeout: 90_000 });
  gates[1]?.resolve();
  // By then, the previous run has ended.
  await new Promise((resolve) => setImmediate(resolve));
  expect(runs).toBe(2);
  background.wake();
  await vi.waitUntil(() => runs === 3, { timeout: 90_000 });
});
