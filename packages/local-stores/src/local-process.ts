import { spawn } from 'node:child_process';
import type { SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, renameSync } from 'node:fs';

/** How a process ended: with a code, or by a signal. */
export interface ExitStatus {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running child process that this process stops, never the terminal. */
export interface LocalProcess {
  readonly pid: number;
  /** Settles once, when the process is gone; never rejects. */
  readonly exited: Promise<ExitStatus>;
  /** Asks the process to end, and kills it after the grace period (ms). Resolves when it is gone. */
  stop(graceMs?: number): Promise<ExitStatus>;
}

/** The process that {@link startProcess} runs. */
export interface ProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** File for stdout and stderr; the file of the previous run is kept as `<file>.1`. */
  readonly logFile: string;
  /** Whether to continue this run's log instead of beginning a new one (restart of the same process). */
  readonly appendLog?: boolean;
  /** Runs as this user; only possible as root. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** The signal for an orderly stop. */
  readonly stopSignal?: NodeJS.Signals;
}

/** A tool of util-linux that runs a program with changed process attributes. */
const SETPRIV = 'setpriv';
const DEFAULT_STOP_GRACE_MS = 10_000;

/**
 * Starts a child process that does not outlive this one, where the system supports that. The child leads its own process group, so that a
 * Ctrl-C in the terminal reaches only the parent, which stops its children in order. If `setpriv` exists (on every Linux with util-linux),
 * the kernel sends the child its stop signal when the parent ends, even by SIGKILL. Rejects if the command cannot be run.
 */
export async function startProcess(options: ProcessOptions): Promise<LocalProcess> {
  const stopSignal = options.stopSignal ?? 'SIGTERM';
  const guard = (await canBindToParent()) ? [SETPRIV, '--pdeathsig', stopSignal.replace('SIG', '')] : [];
  const [command = options.command, ...args] = [...guard, options.command, ...options.args];
  if (options.appendLog !== true) rotate(options.logFile);
  const log = openSync(options.logFile, 'a', 0o600);
  const spawnOptions: SpawnOptions = {
    env: options.env,
    stdio: ['ignore', log, log],
    detached: true,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...options.user,
  };
  try {
    const child = spawn(command, args, spawnOptions);
    const exited = new Promise<ExitStatus>((resolve) => {
      child.once('exit', (code, signal) => {
        resolve({ code, signal });
      });
    });
    const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
    await once(child, 'spawn');
    const { pid } = child;
    if (pid === undefined) throw new Error(`${options.command} has no process id`);
    return {
      pid,
      exited,
      // After its end, its id may belong to another process.
      stop: (graceMs = DEFAULT_STOP_GRACE_MS) =>
        isRunning() ? stopGroup(pid, exited, stopSignal, graceMs) : exited,
    };
  } finally {
    closeSync(log);
  }
}

async function stopGroup(
  pid: number,
  exited: Promise<ExitStatus>,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<ExitStatus> {
  signalGroup(pid, signal);
  const overdue = setTimeout(() => {
    signalGroup(pid, 'SIGKILL');
  }, graceMs);
  const status = await exited;
  clearTimeout(overdue);
  return status;
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!isErrno(error, 'ESRCH')) throw error;
  }
}

function rotate(file: string): void {
  try {
    renameSync(file, `${file}.1`);
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
  }
}

let bindable: Promise<boolean> | undefined;

/** Whether `setpriv --pdeathsig` works here; BusyBox's `setpriv` does not support it. */
function canBindToParent(): Promise<boolean> {
  bindable ??= new Promise((resolve) => {
    const probe = spawn(SETPRIV, ['--pdeathsig', 'TERM', 'true'], { stdio: 'ignore' });
    probe.once('error', () => {
      resolve(false);
    });
    probe.once('exit', (code) => {
      resolve(code === 0);
    });
  });
  return bindable;
}

/** Whether `error` is a system error with this code, such as `ENOENT`. */
export function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
