import { readFile } from 'node:fs/promises';

/** ENOTDIR: a parent in the path is a file. */
const NOT_THERE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

/** The text of a file; undefined if the file does not exist. Rejects if it cannot be read. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && NOT_THERE.has(error.code)) return undefined;
    throw error;
  }
}
