import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';

/** Page size. It is 4 KiB on nearly all systems that have /proc/<pid>/statm and run Node; some ARM machines have larger pages. */
const PAGE_BYTES = 4096;

/** Resident bytes of a process; undefined if unknown, or if the process is gone. */
export function residentBytes(pid: number): number | undefined {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ', 2);
    return Number(pages) * PAGE_BYTES;
  } catch {
    return undefined;
  }
}

/** The kernel's unit of processor time in /proc, independent of its own ticks. */
const CLOCK_TICK_MS = 10;

/** Processor time of a process in milliseconds; undefined if unknown, or if the process is gone. */
export function processorMs(pid: number): number | undefined {
  const fields = statusFields(`${pid}`);
  // The fields utime and stime.
  return fields && (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MS;
}

/**
 * Whether any thread of a process runs, waits for the processor or waits for the disk; false if all sleep or are
 * stopped, or if unknown. The main thread alone is not enough: it sleeps while it waits for other threads, for
 * example during garbage collection.
 */
export function wantsProcessor(pid: number): boolean {
  return threadsOf(pid).some((thread) => WANTING.has(statusFields(`${pid}/task/${thread}`)?.[0] ?? ''));
}

/** The kernel's letters for runnable, and for waiting for the disk. */
const WANTING: ReadonlySet<string> = new Set(['R', 'D']);

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** The first fields of a process or thread after its name, which is in parentheses and may contain anything. */
function statusFields(directory: string): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${directory}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ', 13);
  } catch {
    return undefined;
  }
}

/**
 * Factor for the permitted silence of a worker that did not get the processor. With the default limits, it gives the
 * longest time of an execution.
 */
const STARVED_FACTOR = 15;

/** Observations about a worker that does not answer. */
export interface Silence {
  /** The process id; undefined if the process did not start. */
  readonly pid: number | undefined;
  readonly silentMs: number;
  /** The worker's processor time since the unanswered ping. */
  readonly usedMs: number;
}

/**
 * Whether a worker has been silent for too long. A worker that waits for the processor and got little of it may be
 * silent for longer, because the machine may be busy.
 */
export function isStuck({ pid, silentMs, usedMs }: Silence, limitMs: number): boolean {
  if (silentMs <= limitMs) return false;
  if (usedMs >= limitMs || silentMs > STARVED_FACTOR * limitMs) return true;
  return pid === undefined || !wantsProcessor(pid);
}

/**
 * Factor for the start of a worker that did not get the processor. With the default limits, it gives more than the
 * longest wait of a call.
 */
const SLOW_START_FACTOR = 6;

/**
 * Whether a worker's time to start is over. Its own processor time counts, because the machine may be busy. Its
 * thread states do not help here: while it starts, it waits for its own threads, which may be the ones that do not
 * get the processor.
 */
export function isStartOver(passedMs: number, usedMs: number, limitMs: number): boolean {
  return usedMs > limitMs || passedMs > SLOW_START_FACTOR * limitMs;
}

/** Niceness of workers: one gets about a tenth of a core that a service wants too. */
const NICENESS = 10;

/** Lowers a worker's priority below that of services. */
export function yieldProcessor(pid: number): void {
  try {
    setPriority(pid, NICENESS);
  } catch {
    // The process is gone, or the system refuses (EPERM, EACCES, ENOSYS). Its limits apply all the same.
  }
}

/** Makes the system kill this process first when it runs out of memory. */
export function preferForOutOfMemory(pid: number): void {
  // Only Linux has this file; elsewhere the system chooses by size.
  writeFile(`/proc/${pid}/oom_score_adj`, '1000').catch(() => undefined);
}
