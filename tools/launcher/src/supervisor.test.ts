import { join } from 'node:path';
import { startProcess } from '@fairlead/local-stores/local-process';
import { temporaryFolder } from '@fairlead/local-stores/testing/temporary-folder';
import { expect, onTestFinished, test, vi } from 'vitest';
import { supervise } from './supervisor.ts';
import type { Runnable } from './supervisor.ts';

interface Supervision {
  readonly lines: string[];
  /** Process ids of every start, in order. */
  readonly pids: number[];
  stop(): Promise<void>;
}

async function watch(start: (attempt: number, logFile: string) => Promise<Runnable>): Promise<Supervision> {
  const logFile = join(await temporaryFolder(), 'child.log');
  const lines: string[] = [];
  const pids: number[] = [];
  let attempt = 0;
  const supervised = await supervise({
    name: 'child',
    logFile,
    start: () => start(attempt++, logFile),
    onStarted: ({ pid }) => {
      pids.push(pid);
      return Promise.resolve();
    },
    report: (line) => lines.push(line),
    signal: new AbortController().signal,
  });
  onTestFinished(() => supervised.stop());
  return { lines, pids, stop: () => supervised.stop() };
}

function sleeper(logFile: string): Promise<Runnable> {
  return startProcess({ command: 'sleep', args: ['600'], env: process.env, logFile });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('a process that dies is restarted, and one line names it, how it died and its log', async () => {
  const child = await watch((_attempt, logFile) => sleeper(logFile));
  process.kill(child.pids[0] ?? 0, 'SIGKILL');
  await vi.waitFor(() => expect(child.pids).toHaveLength(2), { timeout: 90_000 });
  await vi.waitFor(() => expect(child.lines.at(-1)).toBe('child is running again'), { timeout: 90_000 });
  expect(child.lines[0]).toMatch(/^child ended \(SIGKILL\), restarting it; log: \/.*child\.log$/);
  expect(isAlive(child.pids[1] ?? 0)).toBe(true);
});

test('a failed restart is reported and retried', async () => {
  const child = await watch((attempt, logFile) =>
    attempt === 1 ? Promise.reject(new Error('port taken')) : sleeper(logFile),
  );
  process.kill(child.pids[0] ?? 0, 'SIGKILL');
  await vi.waitFor(() => expect(child.pids).toHaveLength(2), { timeout: 90_000 });
  expect(child.lines[1]).toBe('child did not start: port taken');
});

test('a process that is stopped stays stopped', async () => {
  const child = await watch((_attempt, logFile) => sleeper(logFile));
  await child.stop();
  expect(isAlive(child.pids[0] ?? 0)).toBe(false);
  expect(child.pids).toHaveLength(1);
  expect(child.lines).toEqual([]);
});

test('a stop ends the wait before a restart', async () => {
  const child = await watch((attempt, logFile) =>
    attempt === 0 ? sleeper(logFile) : Promise.reject(new Error('never again')),
  );
  process.kill(child.pids[0] ?? 0, 'SIGKILL');
  await vi.waitFor(() => expect(child.lines.length).toBeGreaterThan(1), { timeout: 90_000 });
  await child.stop();
  expect(child.pids).toHaveLength(1);
});

test('a failed first start is the caller’s to handle', async () => {
  await expect(watch(() => Promise.reject(new Error('no such program')))).rejects.toThrow('no such program');
});
