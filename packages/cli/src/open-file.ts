import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError, EXIT_CODES } from './failure.ts';
import type { World } from './world.ts';

/** The content of a file, which has not been read yet. Throws a usage error that names the file if it cannot be opened. */
export async function openFile(world: World, file: string): Promise<Blob> {
  const path = resolve(world.cwd, file);
  try {
    if ((await stat(path)).isDirectory()) throw new TypeError('a folder');
    return await openAsBlob(path);
  } catch {
    throw new CliError(EXIT_CODES.usage, `${path} cannot be read.`);
  }
}
