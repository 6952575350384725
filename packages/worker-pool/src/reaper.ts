import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';

/**
 * A shell script that reads lists of process ids, one per line. At the end of its input, it kills the processes of
 * the last line.
 */
const SCRIPT = 'while read -r line; do last=$line; done; kill -9 $last';

/**
 * Kills the workers of a service that was killed. A worker ends by itself when its channel closes, but not while it
 * is in an endless loop. The reaper is a shell, because it only waits, and has its own session, so that signals to
 * the service's process group do not end it first. It ends with the service.
 */
export class Reaper {
  readonly #log: Logger;
  #shell: ChildProcess | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Watches these processes from now on. Starts the shell if it does not run. */
  watch(pids: readonly number[]): void {
    if (this.#shell === undefined && pids.length === 0) return;
    this.#shell ??= this.#start();
    this.#shell.stdin?.write(`${pids.join(' ')}\n`);
  }

  /** Ends the shell, which kills the watched processes. */
  close(): void {
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }

  #start(): ChildProcess {
    const shell = spawn('/bin/sh', ['-c', SCRIPT], {
      env: {},
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const forget = (): void => {
      if (this.#shell === shell) this.#shell = undefined;
    };
    shell.once('error', (error) => {
      this.#log.warn({ err: error }, 'workers that spin would survive this process if it is killed');
      forget();
    });
    shell.once('exit', forget);
    // An exit event follows.
    shell.stdin.on('error', () => undefined);
    // The shell does not keep this process alive.
    shell.unref();
    if (shell.stdin instanceof Socket) shell.stdin.unref();
    return shell;
  }
}
