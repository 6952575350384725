import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs a program to its end and returns its output. If it fails, throws with its error output. */
export async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await execute(command, [...args], { cwd, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}
