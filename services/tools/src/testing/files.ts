import { ApiError } from '@fairlead/errors/api-error';
import { sha256Of } from '../domain/file.ts';
import type { FileKeeper, StoredFile } from '../domain/file.ts';
import type { Files } from '../ports/files.ts';
import type { RunPorts } from '../ports/execution-ports.ts';

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

/** Reads all chunks of a content. */
export async function allOf(content: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return pieces;
}

const absent = (): Promise<never> => Promise.reject(new Error('There are no files.'));

/** No storage for files: results stay as they are. */
export const noFiles: Pick<RunPorts, 'files' | 'urls' | 'fileFetcher' | 'filePermits'> = {
  files: {
    open: absent,
    write: absent,
    commit: absent,
    abandon: absent,
    find: absent,
    read: absent,
    hold: absent,
    readHeld: absent,
    publish: absent,
    dropHeld: absent,
  },
  fileFetcher: { fetch: absent },
  urls: { urlOf: () => '' },
  filePermits: { run: (_call, work) => work(false) },
};

/** One account's contents in memory, instead of the repository, for uploading, keeping and removing. */
export class MemoryFiles implements Pick<
  Files,
  'open' | 'write' | 'abandon' | 'hold' | 'readHeld' | 'dropHeld' | 'find' | 'read'
> {
  readonly held = new Map<string, { readonly content: Buffer; readonly keeper: FileKeeper }>();
  readonly #written = new Map<string, Buffer>();
  /** Maximum number of contents. */
  readonly #most: number;
  #opened = 0;

  constructor({ most = Infinity }: { readonly most?: number } = {}) {
    this.#most = most;
  }

  open: Files['open'] = () => {
    if (this.held.size >= this.#most) return Promise.reject(new ApiError('CONFLICT', 'There is no room.'));
    this.#opened += 1;
    return Promise.resolve(`file_${this.#opened}`);
  };

  write: Files['write'] = async (_ctx, _accountId, fileId, content) => {
    const bytes = Buffer.concat(await allOf(content));
    this.#written.set(fileId, bytes);
    return { sizeBytes: bytes.length, sha256: sha256Of(bytes) };
  };

  abandon: Files['abandon'] = (_accountId, fileId) => Promise.resolve(void this.#written.delete(fileId));

  hold: Files['hold'] = (_ctx, _accountId, fileId, keeper) => {
    const content = this.#written.get(fileId);
    if (content === undefined) return Promise.resolve(false);
    this.#written.delete(fileId);
    this.held.set(fileId, { content, keeper });
    return Promise.resolve(true);
  };

  readHeld: Files['readHeld'] = (_ctx, _accountId, { fileId, approvalId }) => {
    const found = this.held.get(fileId);
    const label = { name: 'a.txt', contentType: 'text/plain' };
    const isKept = found?.keeper.approvalId === approvalId;
    return Promise.resolve(isKept ? { label, content: once(found.content) } : undefined);
  };

  dropHeld: Files['dropHeld'] = (_accountId, of) => {
    for (const [fileId, { keeper }] of this.held)
      if ('approvalId' in of ? keeper.approvalId === of.approvalId : keeper.endUserId === of.endUserId)
        this.held.delete(fileId);
    return Promise.resolve();
  };

  find: Files['find'] = absent;
  read: Files['read'] = absent;
}

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(content);
}
