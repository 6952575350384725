import { link, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isErrno } from '@fairlead/local-stores/local-process';
import { z } from 'zod';
import { readJson, writePrivateJson } from './json-file.ts';
import { identify, isAlive } from './process-identity.ts';
import type { ProcessIdentity } from './process-identity.ts';

/** One launcher's claim on one data folder. */
export interface Instance {
  /** Records a child, so that a later launcher can end it if this one is killed. */
  track(pid: number): Promise<void>;
  /** Releases the folder. */
  release(): Promise<void>;
}

/** Thrown when another launcher runs on the folder. */
export class InstanceInUseError extends Error {
  override readonly name = 'InstanceInUseError';

  constructor(pid: number) {
    super(`process ${String(pid)} already runs on this data folder; choose another with --data`);
  }
}

const identitySchema = z.object({ pid: z.number().int().positive(), startedAt: z.string() });
const recordSchema = z.object({ launcher: identitySchema, children: z.array(identitySchema) });
type InstanceRecord = z.infer<typeof recordSchema>;

const ORPHAN_GRACE_MS = 8_000;
const ORPHAN_POLL_MS = 50;

/**
 * Takes the data folder for this process.
 *
 * Rejects with {@link InstanceInUseError} while another launcher runs on it. Ends what a killed launcher left
 * first: only processes that are provably its children, not merely of the same id.
 */
export async function claimInstance(file: string, report: (line: string) => void): Promise<Instance> {
  const launcher = await identify(process.pid);
  if (launcher === undefined) throw new Error('this process cannot be found in the process table');
  let record: InstanceRecord = { launcher, children: [] };
  while (!(await createExclusively(file, record))) {
    const found = recordSchema.safeParse(await readJson(file));
    if (found.success) await endPredecessor(found.data, report);
    await rm(file, { force: true });
  }
  const rewrite = async (pid: number): Promise<void> => {
    const child = await identify(pid);
    const living = await Promise.all(record.children.map(isAlive));
    const children = record.children.filter((_, index) => living[index]);
    record = { launcher, children: child === undefined ? children : [...children, child] };
    await writePrivateJson(file, record);
  };
  // One write at a time, because each rewrites the whole file.
  let writing = Promise.resolve();
  return {
    track: (pid) => {
      writing = writing.then(() => rewrite(pid));
      return writing;
    },
    release: async () => {
      await writing;
      await rm(file, { force: true });
    },
  };
}

async function endPredecessor(record: InstanceRecord, report: (line: string) => void): Promise<void> {
  if (await isAlive(record.launcher)) {
    throw new InstanceInUseError(record.launcher.pid);
  }
  const living = await Promise.all(record.children.map(isAlive));
  const orphans = record.children.filter((_, index) => living[index]);
  if (orphans.length === 0) return;
  report(`Ending ${String(orphans.length)} processes of an earlier instance that was killed`);
  await Promise.all(orphans.map(endProcess));
}

async function endProcess(orphan: ProcessIdentity): Promise<void> {
  const deadline = Date.now() + ORPHAN_GRACE_MS;
  signal(orphan.pid, 'SIGTERM');
  while (await isAlive(orphan)) {
    if (Date.now() > deadline) signal(orphan.pid, 'SIGKILL');
    await delay(ORPHAN_POLL_MS);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!isErrno(error, 'ESRCH')) throw error;
  }
}

/** Creates the file with its content in one step; false if it exists. */
async function createExclusively(file: string, record: InstanceRecord): Promise<boolean> {
  const draft = `${file}.${String(process.pid)}.new`;
  await writeFile(draft, JSON.stringify(record), { mode: 0o600 });
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
