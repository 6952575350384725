import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { zipped } from './zip.ts';

const CHUNK_BYTES = 64 * 1024;

/**
 * The ZIP archive of log files, as they are now: what is written while it is made is left out, and rotation does not disturb it.
 * Rejects if a file cannot be opened.
 */
export async function openLogArchive(paths: readonly string[]): Promise<AsyncGenerator<Uint8Array>> {
  const files: {
    readonly path: string;
    readonly file: FileHandle;
    readonly size: number;
    readonly modifiedAt: Date;
  }[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(files.map(({ file }) => file.close()));
  };
  try {
    for (const path of paths) {
      const file = await open(path);
      const { size, mtime } = await file.stat();
      files.push({ path, file, size, modifiedAt: mtime });
    }
  } catch (error) {
    await close();
    throw error;
  }
  return (async function* archive() {
    try {
      yield* zipped(
        files.map(({ path, file, size, modifiedAt }) => ({
          name: basename(path),
          modifiedAt,
          content: contentOf(file, size),
        })),
      );
    } finally {
      await close();
    }
  })();
}

async function* contentOf(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < size;) {
    const length = Math.min(CHUNK_BYTES, size - position);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
