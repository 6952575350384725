import { IncomingMessage } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';

/** Headers that name the host, the scheme or the client's address: removed, because the public address determines them. */
const UNTRUSTED = /^(host|forwarded|x-forwarded-.*|x-real-ip|x-original-.*|x-rewrite-url|:.*)$/;
/** Headers about the body: removed, because the library gets the whole body as text. */
const OF_BODY = /^(content-length|content-encoding|transfer-encoding|expect|trailer)$/;

/**
 * Creates the request that the library handles instead of the original. It is addressed to the public address, whatever host and scheme the
 * client or a proxy names, and its body has already been read. From it the library derives the addresses that it sends to clients and the
 * attributes of cookies.
 */
export function toProviderRequest(
  original: IncomingMessage,
  o: {
    readonly issuer: URL;
    /** Path and query below the issuer. */
    readonly target: string;
    readonly body: string | undefined;
  },
): IncomingMessage {
  const isEncrypted = o.issuer.protocol === 'https:';
  // Never connected: it only carries the scheme, and is destroyed with the request.
  const request = new IncomingMessage(Object.assign(new Socket(), { encrypted: isEncrypted }));
  request.method = original.method ?? 'GET';
  request.httpVersion = original.httpVersion;
  request.url = o.target;
  // The library reads this property of Express to find where it is mounted.
  Object.assign(request, { originalUrl: o.issuer.pathname + o.target });
  request.headers = headersFor(original.headers, o.issuer, o.body);
  request.complete = true;
  request.push(o.body === undefined || o.body === '' ? null : o.body);
  if (o.body) request.push(null);
  return request;
}

function headersFor(sent: IncomingHttpHeaders, issuer: URL, body: string | undefined): IncomingHttpHeaders {
  const kept = Object.entries(sent).filter(([name]) => !UNTRUSTED.test(name) && !OF_BODY.test(name));
  return {
    ...Object.fromEntries(kept),
    host: issuer.host,
    ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
  };
}
