import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startProcess } from './local-process.ts';
import type { LocalProcess } from './local-process.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

async function startScript(
  script: string,
  o: { logFile?: string; appendLog?: boolean } = {},
): Promise<LocalProcess> {
  const logFile = o.logFile ?? join(await temporaryFolder(), 'child.log');
  const child = await startProcess({ command: 'sh', args: ['-c', script], env: process.env, logFile, ...o });
  onTestFinished(async () => {
    await child.stop(0);
  });
  return child;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('says how the process ended', async () => {
  const child = await startScript('exit 3');
  expect(await child.exited).toEqual({ code: 3, signal: null });
});

test('stop asks with the stop signal, and a process that obeys is not killed', async () => {
  const logFile = join(await temporaryFolder(), 'child.log');
  const child = await startScript('trap "echo bye; exit 0" TERM; echo up; while :; do sleep 0.05; done', {
    logFile,
  });
  await vi.waitFor(async () => expect(await readFile(logFile, 'utf8')).toContain('up'), { timeout: 90_000 });
  expect(await child.stop()).toEqual({ code: 0, signal: null });
  expect(await readFile(logFile, 'utf8')).toContain('bye');
});

test('stop kills a process that does not end within the grace, and everything it started', async () => {
  const logFile = join(await temporaryFolder(), 'child.log');
  const child = await startScript('trap "" TERM; sleep 600 & echo $!; while :; do sleep 0.05; done', {
    logFile,
  });
  await vi.waitFor(async () => expect(await readFile(logFile, 'utf8')).toMatch(/^\d+\n/), {
    timeout: 90_000,
  });
  const grandchild = Number(await readFile(logFile, 'utf8'));
  expect(await child.stop(50)).toEqual({ code: null, signal: 'SIGKILL' });
  await vi.waitFor(async () => expect(await isGoneOrZombie(grandchild)).toBe(true), { timeout: 90_000 });
});

test('the log of the run before is kept beside the new one, unless this run continues it', async () => {
  const logFile = join(await temporaryFolder(), 'child.log');
  await (
    await startScript('echo first', { logFile })
  ).exited;
  await (
    await startScript('echo second', { logFile, appendLog: true })
  ).exited;
  expect(await readFile(logFile, 'utf8')).toBe('first\nsecond\n');
  await (
    await startScript('echo third', { logFile })
  ).exited;
  expect(await readFile(logFile, 'utf8')).toBe('third\n');
  expect(await readFile(`${logFile}.1`, 'utf8')).toBe('first\nsecond\n');
});

test('rejects when the command does not exist', async () => {
  const logFile = join(await temporaryFolder(), 'child.log');
  const start = startProcess({ command: '/nonexistent/program', args: [], env: process.env, logFile });
  // With setpriv, setpriv starts first and cannot find the program, so the process ends at once.
  const outcome = await start.then(
    (child) => child.exited,
    (error: unknown) => error,
  );
  expect(outcome).toSatisfy((value) => value instanceof Error || (value as { code: number }).code !== 0);
});

test.runIf(process.platform === 'linux')('a child does not outlive a parent that is killed', async () => {
  const folder = await temporaryFolder();
  const script = join(folder, 'parent.ts');
  await writeFile(
    script,
    `import { startProcess } from ${JSON.stringify(join(import.meta.dirname, 'local-process.ts'))};
     const child = await startProcess({ command: 'sleep', args: ['600'], env: process.env, logFile: ${JSON.stringify(join(folder, 'log'))} });
     console.log(child.pid);
     setInterval(() => {}, 1000);`,
  );
  const parent = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [chunk] = (await once(parent.stdout, 'data')) as [Buffer];
  const child = Number(chunk.toString());
  expect(isAlive(child)).toBe(true);
  parent.kill('SIGKILL');
  await vi.waitUntil(() => isGoneOrZombie(child), { timeout: 90_000 });
});

/** A container's first process may not reap orphans, so dead processes stay as zombies. */
async function isGoneOrZombie(pid: number): Promise<boolean> {
  if (!isAlive(pid)) return true;
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8').catch(() => 'State:\tZ');
  return /^State:\tZ/m.test(status);
}
