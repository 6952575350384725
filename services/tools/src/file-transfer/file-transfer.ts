import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { Caller } from '@fairlead/service-kit/context/caller';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { HttpHandler, Mount } from '@fairlead/service-kit/http/app';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import { callerOf } from '@fairlead/service-kit/http/passed-on';
import { sendJson } from '@fairlead/service-kit/http/reply';
import type { AccountPermits } from '@fairlead/service-kit/permits/account-permits';
import type { Files } from '../ports/files.ts';
import { uploadFile } from '../use-cases/files/upload-file.ts';
import type { UploadFileDeps } from '../use-cases/files/upload-file.ts';
import { readUpload } from './read-upload.ts';
import type { SignedUrls } from './signed-urls.ts';

export interface FileTransferDeps extends UploadFileDeps {
  readonly files: UploadFileDeps['files'] & Pick<Files, 'find' | 'read'>;
  readonly urls: Pick<SignedUrls, 'accountOf'>;
  /** Limits of transfers: slow ones must not delay other accounts. */
  readonly permits: Pick<AccountPermits, 'run'>;
}

const PREFIX = '/v1/files';
/** Longest duration of one transfer; the gateway disconnects clients that stop reading or writing. */
const TRANSFER_MS = 10 * 60 * 1_000;
const WAIT_MS = 10_000;

/**
 * Transfers of files through the gateway. `POST /v1/files` stores an upload for the calling user's account and answers `{fileId, digest}`;
 * `GET /v1/files/{fileId}/content` sends a file to anybody with its signed address.
 */
export function fileTransfer(deps: FileTransferDeps): Mount {
  return {
    prefix: PREFIX,
    timeoutMs: TRANSFER_MS,
    maxBodyBytes: 0,
    handle(exchange, request, response) {
      const { pathname, searchParams } = new URL(request.url, 'http://files');
      const fileId = /^\/([A-Za-z0-9_]+)\/content$/.exec(pathname)?.[1];
      if (request.method === 'POST' && pathname === '/') {
        return upload(deps, searchParams.get('name') ?? undefined)(exchange, request, response);
      }
      if (fileId === undefined || (request.method !== 'GET' && request.method !== 'HEAD'))
        throw notFound('route');
      return download(deps, fileId, searchParams.get('token') ?? '')(exchange, request, response);
    },
  };
}

function upload(deps: FileTransferDeps, name: string | undefined): HttpHandler {
  return async (exchange, request, response) => {
    exchange.route = PREFIX;
    const caller = callerOf(request);
    if (caller.kind !== 'user') throw new ApiError('UNAUTHORIZED', 'Only users upload files.');
    const ctx = contextOf(exchange, caller, caller.accountId);
    const uploaded = await inPermit(deps, ctx, caller.accountId, 'upload', () =>
      readUpload(request, name, ({ label, content }) => uploadFile(deps, ctx, label, content)),
    );
    sendJson(response, 201, uploaded);
  };
}

function download(deps: FileTransferDeps, fileId: string, token: string): HttpHandler {
  return async (exchange, request, response) => {
    exchange.route = `${PREFIX}/{fileId}/content`;
    const { clock, files, urls } = deps;
    const accountId = urls.accountOf(fileId, token, clock.now());
    if (accountId === undefined) throw notFound('file');
    const ctx = contextOf(exchange, callerOf(request), accountId);
    await inPermit(deps, ctx, accountId, 'download', async () => {
      const file = await files.find(ctx, accountId, fileId, clock.now());
      if (file === undefined) throw notFound('file');
      response.statusCode = 200;
      response.setHeader('content-type', file.contentType);
      response.setHeader('content-length', file.sizeBytes);
      response.setHeader('content-disposition', attachment(file.name));
      // Whatever its media type: browsers must not run it or show it as a page of ours.
      response.setHeader('x-content-type-options', 'nosniff');
      response.setHeader('content-security-policy', "sandbox; default-src 'none'");
      response.setHeader('cache-control', 'private, no-store');
      response.setHeader('accept-ranges', 'none');
      if (request.method === 'HEAD') return void response.end();
      await pipeline(Readable.from(await files.read(ctx, accountId, fileId)), response, {
        signal: ctx.signal,
      });
    });
  };
}

function contextOf(exchange: Exchange, caller: Caller, accountId: string): RequestContext {
  exchange.accountId = accountId;
  return exchange.contextFor(caller, { isOpenEnded: true });
}

function inPermit<R>(
  { permits }: FileTransferDeps,
  { signal }: RequestContext,
  accountId: string,
  partition: string,
  work: () => Promise<R>,
): Promise<R> {
  return permits.run({ accountId, partition, waitMs: WAIT_MS, signal, heldBytes: () => 0 }, work);
}

/** RFC 6266: the name in ASCII for old clients, and in UTF-8. */
function attachment(name: string): string {
  const ascii = name.replaceAll(/[^\u0020-\u007e]|["\\]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
