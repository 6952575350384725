import { readFile, rename, writeFile } from 'node:fs/promises';
import { isErrno } from '@fairlead/local-stores/local-process';

/** Writes a JSON file that only its owner can read; a reader sees the old or the new content, never a part. */
export async function writePrivateJson(path: string, value: unknown): Promise<void> {
  const draft = `${path}.${String(process.pid)}.tmp`;
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}

/** The value in a JSON file; undefined if the file does not exist or holds no JSON. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError || isErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}
