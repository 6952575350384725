import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A program on this machine that runs beside a part. */
export interface Program {
  stop(): Promise<void>;
}

/** Starts a program with additional variables and prints its lines. */
export function startProgram(
  program: string,
  args: readonly string[],
  o: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Program {
  const running = spawn(program, args, { cwd: o.cwd, stdio: 'inherit', env: { ...process.env, ...o.env } });
  return {
    async stop() {
      if (running.exitCode === null && running.kill()) await once(running, 'exit');
    },
  };
}
