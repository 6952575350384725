import { readFileSync } from 'node:fs';
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
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name, in parentheses, may hold anything; utime and stime are the 12th and 13th field after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 13);
    return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MS;
  } catch {
    return undefined;
  }
}

/** Of a worker: it gets about a tenth of a core for which a service competes. */
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
