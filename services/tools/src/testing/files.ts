import type { StoredFile } from '../domain/file.ts';
import type { ExecuteToolDeps } from '../use-cases/execute-tool.ts';

const NOON = new Date('2026-11-22T12:00:00.000Z');

/** A file, unless overridden. */
export function storedFile(o: Partial<StoredFile> = {}): StoredFile {
  return {
    fileId: 'file_1',
    name: 'a.txt',
    contentType: 'text/plain',
    sizeBytes: 1,
    sha256: 'abc',
    createdAt: NOON,
    updatedAt: NOON,
    expiresAt: NOON,
    ...o,
  };
}

/** All pieces of a content. */
export async function allOf(content: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return pieces;
}

const absent = (): Promise<never> => Promise.reject(new Error('There are no files.'));

/** No place for files: what a call returns stays as it is. */
export const noFiles: Pick<ExecuteToolDeps, 'files' | 'urls' | 'fileFetcher' | 'fileSlots'> = {
  files: {
    open: absent,
    write: absent,
    commit: absent,
    abandon: absent,
    find: absent,
    read: absent,
  },
  fileFetcher: { fetch: absent },
  urls: { urlOf: () => '' },
  fileSlots: { run: (_call, work) => work(false) },
};
