import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';

/** The size of a page on the systems that have /proc/<pid>/statm and run Node: 4 KiB, on some ARM machines more. */
const PAGE_BYTES = 4096;

/** Resident bytes of a process; undefined if the system does not tell, or the process is gone. */
export function residentBytes(pid: number): number | undefined {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ', 2);
    return Number(pages) * PAGE_BYTES;
  } catch {
    return undefined;
  }
}

/** The kernel's unit of processor time in /proc, whatever its own ticks are. */
const CLOCK_TICK_MS = 10;

/** Processor time that a process has used, in milliseconds; undefined if the system does not tell, or it is gone. */
export function processorMs(pid: number): number | undefined {
  const fields = statusFields(`${pid}`);
  // utime and stime.
  return fields && (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MS;
}

/**
 * Whether a thread of a process runs, waits for the processor or waits for the disk; false if all sleep or are stopped, or the
 * system does not tell. The main thread alone does not tell: it sleeps while it waits for the others, as for a collection of garbage.
 */
export function wantsProcessor(pid: number): boolean {
  return threadsOf(pid).some((thread) => WANTING.has(statusFields(`${pid}/task/${thread}`)?.[0] ?? ''));
}

/** The kernel's letters for running or runnable, and for waiting for the disk. */
const WANTING: ReadonlySet<string> = new Set(['R', 'D']);

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** The first fields of a process or thread after its name, which is in parentheses and may hold anything. */
function statusFields(directory: string): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${directory}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ', 13);
  } catch {
    return undefined;
  }
}

/** How many times longer a worker may be silent that has not had the processor: by default as long as an execution may take. */
const STARVED_FACTOR = 15;

/** The silence of a worker that does not answer. */
export interface Silence {
  /** Undefined if the process did not start. */
  readonly pid: number | undefined;
  readonly silentMs: number;
  /** Processor time that it has used meanwhile. */
  readonly usedMs: number;
}

/**
 * Whether a worker has been silent for too long. One that waits for the processor and has had little of it may be silent for
 * longer: the machine may be busy with other things.
 */
export function isStuck({ pid, silentMs, usedMs }: Silence, limitMs: number): boolean {
  if (silentMs <= limitMs) return false;
  if (usedMs >= limitMs || silentMs > STARVED_FACTOR * limitMs) return true;
  return pid === undefined || !wantsProcessor(pid);
}

/** How many times longer a worker may take to start that has not had the processor: by default longer than any of its calls waits. */
const SLOW_START_FACTOR = 6;

/**
 * Whether a worker has had its time to start, of which its own processor time counts: the machine may be busy with other things. Whether it wants the
 * processor does not tell: while it starts it waits for threads of its own, which may be those that do not get it.
 */
export function isStartOver(passedMs: number, usedMs: number, limitMs: number): boolean {
  return usedMs > limitMs || passedMs > SLOW_START_FACTOR * limitMs;
}

/** The niceness of a worker: it gets about a tenth of a core for which a service competes. */
const NICENESS = 10;

/** Lets services have the processor first. */
export function yieldProcessor(pid: number): void {
  try {
    setPriority(pid, NICENESS);
  } catch {
    // The process is gone, or the system does not let this one (EPERM, EACCES, ENOSYS): its limits hold all the same.
  }
}

/** If the system runs out of memory, it ends this process before the others of the service. */
export function preferForOutOfMemory(pid: number): void {
  // Only Linux has the file; without it the system chooses by size.
  writeFile(`/proc/${pid}/oom_score_adj`, '1000').catch(() => undefined);
}
