import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isStartOver, isStarved, processorMs, wantsProcessor } from './process-usage.ts';

const LIMIT_MS = 2_000;
const silence = { silentMs: 2_100, usedMs: 200, wantsProcessor: true };

test('a worker is starved while it waits for the processor and has had little of it, but not for ever', () => {
  expect(isStarved(silence, LIMIT_MS)).toBe(true);
  expect(isStarved({ ...silence, silentMs: 15 * LIMIT_MS }, LIMIT_MS)).toBe(true);
  expect(isStarved({ ...silence, silentMs: 15 * LIMIT_MS + 1 }, LIMIT_MS)).toBe(false);
  expect(isStarved({ ...silence, usedMs: LIMIT_MS }, LIMIT_MS)).toBe(false);
  // Stopped, or asleep in a call of the system.
  expect(isStarved({ ...silence, wantsProcessor: false }, LIMIT_MS)).toBe(false);
});

test('a worker that starts has its limit of processor time, and six times as long by the clock', () => {
  expect(isStartOver(LIMIT_MS + 1, LIMIT_MS, LIMIT_MS)).toBe(false);
  expect(isStartOver(LIMIT_MS + 1, LIMIT_MS + 1, LIMIT_MS)).toBe(true);
  expect(isStartOver(6 * LIMIT_MS, 0, LIMIT_MS)).toBe(false);
  expect(isStartOver(6 * LIMIT_MS + 1, 0, LIMIT_MS)).toBe(true);
});

test.runIf(process.platform === 'linux')('Linux tells whether a process wants the processor', async () => {
  expect(wantsProcessor(process.pid)).toBe(true);
  const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const pid = Number(child.pid);
  await vi.waitUntil(() => wantsProcessor(pid), { timeout: 30_000 });
  child.kill('SIGSTOP');
  await vi.waitUntil(() => !wantsProcessor(pid), { timeout: 30_000 });
  expect(processorMs(pid)).toBeGreaterThanOrEqual(0);
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
  expect([wantsProcessor(pid), processorMs(pid)]).toEqual([false, undefined]);
});
