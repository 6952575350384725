import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';

/** Reads process ids, a list per line. At the end of its input, kills those of the last line. */
const SCRIPT = 'while read -r line; do last=$line; done; kill -9 $last';

/**
 * Ends the workers of a service that was killed. A worker ends by itself when its channel closes, but not while it spins.
 * This is a shell, because it only waits, and in a session of its own, so that what is sent to the group of the service
 * does not end it first. It ends with the service.
 */
export class Reaper {
  readonly #log: Logger;
  #shell: ChildProcess | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** From now on, these processes end with this one. Starts the shell if it does not run. */
  watch(pids: readonly number[]): void {
    if (this.#shell === undefined && pids.length === 0) return;
    this.#shell ??= this.#start();
    this.#shell.stdin?.write(`${pids.join(' ')}\n`);
  }

  /** Ends the shell, and with it what it watches. */
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
    // Its exit follows.
    shell.stdin.on('error', () => undefined);
    // It keeps no process alive.
    shell.unref();
    if (shell.stdin instanceof Socket) shell.stdin.unref();
    return shell;
  }
}
