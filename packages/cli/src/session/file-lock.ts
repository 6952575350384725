import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 25;
/** Work under a lock takes seconds; a lock this old was left behind by a process that ended without releasing it. */
const STALE_MS = 60_000;

/**
 * Runs `act` while no other process holds the lock of the same path. A lock whose holder has ended is taken over. Rejects with the signal's
 * reason if the signal aborts during the wait.
 */
export async function withFileLock<T>(path: string, signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  const mine = `${process.pid} ${randomUUID()}`;
  while (!(await create(path, mine))) {
    await takeFromTheDead(path);
    await delay(POLL_MS, undefined, { signal });
  }
  try {
    return await act();
  } finally {
    // Do not release another process's lock, in case it took over ours.
    if ((await contentOf(path)) === mine) await rm(path, { force: true });
  }
}

async function create(path: string, content: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(content);
    await file.close();
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function takeFromTheDead(path: string): Promise<void> {
  const content = await contentOf(path);
  if (content === undefined || !(await isStale(path, content))) return;
  // Renamed first, because only one of the processes that found the lock stale succeeds.
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  await rm(aside, { force: true });
}

async function isStale(path: string, content: string): Promise<boolean> {
  const age = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  return age > STALE_MS || !isAlive(Number(content.split(' ', 1)[0]));
}

function isAlive(pid: number): boolean {
  // The lock file exists, but its content is not written yet.
  if (!Number.isInteger(pid) || pid <= 0) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !isCode(error, 'ESRCH');
  }
}

async function contentOf(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch(() => undefined);
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
