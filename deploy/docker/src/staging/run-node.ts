import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a script to its end; resolves to its output. Rejects with the text that it wrote to stderr if it fails. */
export async function runNode(script: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [script, ...args])).stdout;
}
