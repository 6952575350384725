import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { zip } from './zip.ts';
import type { ZipEntry } from './zip.ts';

const CHUNK_BYTES = 64 * 1024;

/**
 * A ZIP archive of the current log files. Lines written meanwhile are left out, and rotation does not affect it.
 * Rejects if a file cannot be opened.
 */
export async function openLogArchive(paths: readonly string[]): Promise<AsyncIterable<Uint8Array>> {
  const handles: FileHandle[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(handles.splice(0).map((handle) => handle.close()));
  };
  const entries: ZipEntry[] = [];
  try {
    for (const path of paths) {
      const handle = await open(path);
      handles.push(handle);
      const { size, mtime } = await handle.stat();
      entries.push({ name: basename(path), modifiedAt: mtime, content: contentOf(handle, size) });
    }
  } catch (error) {
    await close();
    throw error;
  }
  async function* archive(): AsyncGenerator<Uint8Array> {
    try {
      yield* zip(entries);
    } finally {
      await close();
    }
  }
  return {
    [Symbol.asyncIterator]() {
      const pieces = archive();
      return {
        next: () => pieces.next(),
        async return() {
          await pieces.return(undefined);
          // If a generator is never read, its `finally` does not run.
          await close();
          return { done: true, value: undefined };
        },
      };
    },
  };
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
