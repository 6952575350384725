import type { StoredFile } from '../domain/file.ts';

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
