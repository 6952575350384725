import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { ApiError, notFound } from '@fairlead/errors/api-error';
import { methodNotAllowed } from '@fairlead/service-kit/http/app';
import type { Mount } from '@fairlead/service-kit/http/app';
import { clientAddressOf } from '@fairlead/service-kit/http/passed-on';
import type { ReleaseFolder } from '../releases/release-folder.ts';

/** Path of the files of the agent's release, which are public. */
export const DOWNLOADS_PATH = '/downloads';

/** Longest duration of one download: an executable has 130 MB. */
const DOWNLOAD_MS = 600_000;
/** A download is cut if its client reads nothing for this time. */
const IDLE_MS = 30_000;
/** Concurrent downloads of one replica. */
const MAX_DOWNLOADS = 200;
/** Concurrent downloads of one replica by one network address. */
const MAX_OF_ADDRESS = 5;

/** Serves the files of the agent's release. */
export function releaseDownloads(
  releases: Pick<ReleaseFolder, 'findFile'>,
  { idleMs = IDLE_MS }: { readonly idleMs?: number } = {},
): Mount {
  let running = 0;
  const ofAddress = new Map<string, number>();
  return {
    prefix: DOWNLOADS_PATH,
    timeoutMs: DOWNLOAD_MS,
    maxBodyBytes: 0,
    async handle(exchange, request, response) {
      exchange.route = `${DOWNLOADS_PATH}/{file}`;
      if (request.method !== 'GET' && request.method !== 'HEAD')
        throw methodNotAllowed(response, ['GET', 'HEAD']);
      const name = new URL(request.url, 'http://agents').pathname.slice(1);
      const path = await releases.findFile(name);
      const found = path && (await stat(path).catch(() => undefined));
      if (path === undefined || !found) throw notFound('file');
      const address = clientAddressOf(request);
      const others = ofAddress.get(address) ?? 0;
      if (running >= MAX_DOWNLOADS || others >= MAX_OF_ADDRESS)
        throw new ApiError('RATE_LIMIT_EXCEEDED', 'Too many downloads are running. Try again in a minute.', {
          retryAfterSeconds: 60,
        });
      running += 1;
      ofAddress.set(address, others + 1);
      response.setTimeout(idleMs, () => response.destroy());
      try {
        response.writeHead(200, {
          'content-type': 'application/octet-stream',
          'content-length': found.size,
          'x-content-type-options': 'nosniff',
        });
        if (request.method === 'HEAD') response.end();
        else await pipeline(createReadStream(path, { end: found.size - 1 }), response);
      } catch (error) {
        // The client has gone, or the file was truncated: cutting the response shows the client that it is incomplete.
        exchange.log.warn({ err: error }, 'a download ended early');
        response.destroy();
      } finally {
        running -= 1;
        const left = (ofAddress.get(address) ?? 1) - 1;
        if (left === 0) ofAddress.delete(address);
        else ofAddress.set(address, left);
      }
    },
  };
}
