import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a script to its end; resolves to its output. If it fails, rejects with its stderr. */
export async function runNode(script: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [script, ...args])).stdout;
}
