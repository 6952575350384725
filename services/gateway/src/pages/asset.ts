import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Page } from '@fairlead/service-kit/http/app';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';

/** A file that our pages load. */
export interface Asset {
  /** Its address changes with its content, so that browsers may cache it permanently. */
  readonly page: Page;
  close(): Promise<void>;
}

const CHUNK_BYTES = 64 * 1024;

/**
 * Serves one file of the installation below `folder` from disk, with one chunk in memory at a time. It is compressed
 * once, at the first request. Rejects if the file is missing.
 */
export async function openAsset(o: {
  readonly file: string;
  readonly folder: `/${string}`;
  readonly contentType: string;
  readonly log: Logger;
}): Promise<Asset> {
  const plain = await open(o.file);
  const digest = createHash('sha256');
  for await (const piece of piecesOf(plain)) digest.update(piece);
  const hash = digest.digest('base64url').slice(0, 16);

  let compressing: Promise<FileHandle | undefined> | undefined;
  const compressed = (): Promise<FileHandle | undefined> =>
    (compressing ??= compress(o.file).catch((error: unknown) => {
      // The folder may be read-only, for example.
      o.log.warn({ err: error }, 'a file cannot be compressed and is sent as it is');
      return undefined;
    }));
  return {
    page: {
      path: `${o.folder}/${hash}/${basename(o.file)}`,
      isSafe: true,
      async show(_exchange, request, response) {
        const zipped = request.acceptsEncodings('gzip') === 'gzip' ? await compressed() : undefined;
        response.setHeader('content-type', o.contentType);
        response.setHeader('cache-control', 'public, max-age=31536000, immutable');
        response.setHeader('x-content-type-options', 'nosniff');
        response.setHeader('vary', 'accept-encoding');
        if (zipped !== undefined) response.setHeader('content-encoding', 'gzip');
        await send(zipped ?? plain, request.method, response);
      },
    },
    async close() {
      await plain.close();
      await (await compressing)?.close();
    },
  };
}

async function send(file: FileHandle, method: string, response: ServerResponse): Promise<void> {
  response.setHeader('content-length', (await file.stat()).size);
  if (method === 'HEAD') response.end();
  else await pipeline(piecesOf(file), response);
}

/** The file from its beginning. Unlike a stream, it keeps the file handle open when a reader stops, because other readers use it. */
async function* piecesOf(file: FileHandle): AsyncGenerator<Buffer, void, undefined> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** A compressed copy that is already unlinked: the system frees it with its last handle, also after a crash. */
async function compress(file: string): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-asset-'));
  try {
    const copy = join(folder, 'copy.gz');
    await pipeline(createReadStream(file), createGzip(), createWriteStream(copy));
    return await open(copy);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
