import { readFileSync } from 'node:fs';

/** Linux reports these times in hundredths of a second (USER_HZ), whatever the kernel's own tick is. */
const MICROSECONDS_A_TICK = 10_000;

/** CPU time that a process has used so far, in user and kernel mode, in microseconds (proc(5), stat). */
export function cpuMicros(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_A_TICK;
}
