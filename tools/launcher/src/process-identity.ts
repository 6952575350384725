import { readFile } from 'node:fs/promises';
import { runCommand } from '@fairlead/local-stores/run-command';

/** Identifies a process even if a later one gets the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the system's own terms; equal only for the same process. */
  readonly startedAt: string;
}

/** The identity of the living process with this id; undefined when there is none. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const startedAt = process.platform === 'linux' ? await startOnLinux(pid) : await startFromPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Whether exactly this process still lives. */
export async function isAlive(process: ProcessIdentity): Promise<boolean> {
  return (await identify(process.pid))?.startedAt === process.startedAt;
}

/** Fields of proc_pid_stat(5) after the command's name in parentheses, which may itself hold spaces. */
const STATE_FIELD = 0;
const START_TIME_FIELD = 19;

async function startOnLinux(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie holds its id until its parent reaps it, but no longer runs.
  if (fields[STATE_FIELD] === 'Z') return undefined;
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
  return `${boot.trim()}/${fields[START_TIME_FIELD] ?? ''}`;
}

async function startFromPs(pid: number): Promise<string | undefined> {
  const result = await runCommand('ps', ['-o', 'lstart=', '-p', String(pid)]);
  const text = result.stdout.trim();
  return result.code === 0 && text !== '' ? text : undefined;
}
