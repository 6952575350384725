import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A process started by a benchmark, which also ends it. */
export interface OwnProcess {
  readonly pid: number;
  stop(): Promise<void>;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Starts a program of the checkout with only this environment; its output is dropped. */
export function startProgram(args: readonly string[], env: NodeJS.ProcessEnv): OwnProcess {
  const child = spawn(process.execPath, [...args], { cwd: ROOT, stdio: 'ignore', env });
  const exited = once(child, 'exit');
  const { pid } = child;
  if (pid === undefined) throw new Error(`${args.join(' ')} was not started.`);
  return {
    pid,
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
