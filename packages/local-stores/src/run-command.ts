import { spawn } from 'node:child_process';

/** The result of a command: its exit code (null if a signal ended it) and its output. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The options of runCommand. */
export interface CommandOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Text given on standard input. */
  readonly input?: string;
  /** Aborting asks the command to end; the promise then rejects with the abort's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a command to its end and collects its output. A non-zero exit code is a result, not an error. Rejects if the command cannot be run
 * (`ENOENT`, `EACCES`) or the signal aborts.
 */
export function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(options.env === undefined ? {} : { env: options.env }),
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...options.user,
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    // A command that ends without reading its input closes the pipe; only its exit code matters.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
    const abort = (): void => {
      child.kill('SIGTERM');
    };
    options.signal?.addEventListener('abort', abort, { once: true });
    if (options.signal?.aborted === true) abort();
    child.once('error', reject);
    child.once('close', (code) => {
      options.signal?.removeEventListener('abort', abort);
      if (options.signal?.aborted === true) reject(abortReason(options.signal));
      else resolve({ code, stdout, stderr });
    });
  });
}

function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('aborted');
}
