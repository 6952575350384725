import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { HttpHandler, Page } from '@fairlead/service-kit/http/app';
import type { RenderedPage } from '@fairlead/pages/html';

type Request = Parameters<HttpHandler>[1];
type Encoding = 'br' | 'gzip' | 'identity';
type Representation = { readonly etag: string; readonly body: Buffer };

const compressors = {
  // Compression level: the default, 11, takes seconds for the OpenAPI document and saves only a twentieth.
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: promisify<Buffer, Buffer>(gzip),
};

/** Bytes that are the same for every client until the process ends. */
export interface PublishedPage {
  readonly contentType: string;
  readonly body: string | Buffer;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: caches revalidate the page at each use. */
  readonly cacheControl?: string;
}

/**
 * Serves constant bytes. Each encoding is made once, at its first request, and has its own entity tag: a client that has the bytes gets
 * 304.
 */
export function publishedPage(path: `/${string}`, o: PublishedPage): Page {
  const plain = typeof o.body === 'string' ? Buffer.from(o.body) : o.body;
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  const representations = new Map<Encoding, Promise<Representation>>();
  const representation = (encoding: Encoding): Promise<Representation> => {
    const existing = representations.get(encoding);
    if (existing !== undefined) return existing;
    const making =
      encoding === 'identity'
        ? Promise.resolve({ etag: `"${hash}"`, body: plain })
        : compressors[encoding](plain).then((body) => ({ etag: `"${hash}-${encoding}"`, body }));
    representations.set(encoding, making);
    return making;
  };
  return {
    path,
    isSafe: true,
    async show(_exchange, request, response) {
      const encoding = encodingFor(request);
      const { etag, body } = await representation(encoding);
      for (const [name, value] of Object.entries(o.headers ?? {})) response.setHeader(name, value);
      response.setHeader('cache-control', o.cacheControl ?? 'no-cache');
      response.setHeader('vary', 'accept-encoding');
      response.setHeader('etag', etag);
      response.setHeader('x-content-type-options', 'nosniff');
      if (hasTag(request, etag)) {
        response.statusCode = 304;
        response.end();
        return;
      }
      response.setHeader('content-type', o.contentType);
      if (encoding !== 'identity') response.setHeader('content-encoding', encoding);
      response.setHeader('content-length', body.length);
      response.end(body);
    },
  };
}

/** A rendered page that is the same for everybody. */
export function publishedHtml(path: `/${string}`, { headers, text }: RenderedPage): Page {
  const { 'content-type': contentType = '', 'cache-control': _never, ...others } = headers;
  return publishedPage(path, { contentType, body: text, headers: others });
}

function encodingFor(request: Request): Encoding {
  return (
    (['br', 'gzip'] as const).find((encoding) => request.acceptsEncodings(encoding) === encoding) ??
    'identity'
  );
}

/**
 * Whether If-None-Match names the tag. Express's `request.fresh` denies it for clients of `fetch`, which send `cache-control: no-cache`.
 */
function hasTag({ headers }: Request, etag: string): boolean {
  const tags = headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(etag) || tags.includes('*');
}
