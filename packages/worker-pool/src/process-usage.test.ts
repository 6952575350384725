import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isStartOver, isStuck, processorMs, wantsProcessor } from './process-usage.ts';

const LIMIT_MS = 2_000;

test.runIf(process.platform === 'linux')(
  'a silent worker that wants the processor and has had little of it is not stuck, but not for ever',
  () => {
    const silence = { pid: process.pid, silentMs: 2_100, usedMs: 200 };
    expect(isStuck({ ...silence, silentMs: LIMIT_MS, usedMs: LIMIT_MS }, LIMIT_MS)).toBe(false);
    expect(isStuck(silence, LIMIT_MS)).toBe(false);
    expect(isStuck({ ...silence, silentMs: 15 * LIMIT_MS }, LIMIT_MS)).toBe(false);
    expect(isStuck({ ...silence, silentMs: 15 * LIMIT_MS + 1 }, LIMIT_MS)).toBe(true);
    expect(isStuck({ ...silence, usedMs: LIMIT_MS }, LIMIT_MS)).toBe(true);
    expect(isStuck({ ...silence, pid: undefined }, LIMIT_MS)).toBe(true);
  },
);

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
  await vi.waitUntil(() => wantsProcessor(pid), { timeout: 90_000 });
  child.kill('SIGSTOP');
  await vi.waitUntil(() => !wantsProcessor(pid), { timeout: 90_000 });
  expect(isStuck({ pid, silentMs: LIMIT_MS + 1, usedMs: 0 }, LIMIT_MS)).toBe(true);
  expect(processorMs(pid)).toBeGreaterThanOrEqual(0);
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
  expect([wantsProcessor(pid), processorMs(pid)]).toEqual([false, undefined]);
});

test.runIf(process.platform === 'linux')(
  'a process whose main thread waits for another thread wants the processor while that one does',
  async () => {
    const wait = `
      const { Worker } = require('node:worker_threads');
      const thread = new Worker('for (;;);', { eval: true });
      thread.once('online', () => {
        process.stdout.write('spins');
        setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 0);
      });`;
    const child = spawn(process.execPath, ['-e', wait], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    const pid = Number(child.pid);
    const mainThread = (): string =>
      readFileSync(`/proc/${pid}/task/${pid}/stat`, 'latin1').split(' ')[2] ?? '';
    await vi.waitUntil(() => mainThread() === 'S', { timeout: 90_000 });
    expect(wantsProcessor(pid)).toBe(true);
  },
);
