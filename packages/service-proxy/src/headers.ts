import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { REQUEST_ID_HEADER } from '@fairlead/service-kit/context/context';

/** Headers of one connection (RFC 9110, 7.6.1), and of expectations that the gateway handles itself. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers between proxies and the platform's services; a client must not set them. */
const OF_PLATFORM =
  /^(?:x-fairlead-|x-forwarded-|x-canary-|(?:x-operator-key|forwarded|x-real-ip|traceparent|tracestate)$)/;

/**
 * The headers of a request for the service that gets it: those of the client with its Host, without those of the
 * connection or of the platform, and the gateway's `own`.
 */
export function headersForService(
  { headers }: IncomingMessage,
  own: Readonly<Record<string, string>>,
): IncomingHttpHeaders {
  const dropped = namesIn(headers.connection);
  const kept = Object.entries(headers).filter(
    ([name]) => !OF_CONNECTION.has(name) && !OF_PLATFORM.test(name) && !dropped.has(name),
  );
  return {
    ...Object.fromEntries(kept),
    // A client's Connection header cannot remove the body's length or the host.
    ...(headers.host !== undefined && { host: headers.host }),
    ...(headers['content-length'] !== undefined && { 'content-length': headers['content-length'] }),
    ...(headers['transfer-encoding'] !== undefined && { 'transfer-encoding': 'chunked' }),
    ...own,
  };
}

/** Replaces the status and headers of the client's response by the service's; the request id stays. */
export function copyHead(from: IncomingMessage, to: ServerResponse): void {
  const dropped = namesIn(from.headers.connection);
  to.statusCode = from.statusCode ?? 502;
  for (const [name, values = []] of Object.entries(from.headersDistinct)) {
    if (OF_CONNECTION.has(name) || OF_PLATFORM.test(name) || dropped.has(name)) continue;
    if (name !== REQUEST_ID_HEADER) to.setHeader(name, values.length === 1 ? values.join('') : values);
  }
}

/** The names that a Connection header lists. */
function namesIn(connection: string | undefined): ReadonlySet<string> {
  return new Set((connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
}
