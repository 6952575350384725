import net from 'node:net';
import { pipeline } from 'node:stream';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Agent } from 'undici';
import type { Dispatcher } from 'undici';
import { createAddressPolicy, normalizeHost } from './address.ts';
import { createConnector, createVetHost, fixedLookup } from './connector.ts';
import type { Egress, EgressRequest, EgressResponse } from './egress.ts';
import { EgressError, toEgressError } from './error.ts';
import { createFetch } from './fetch.ts';
import { REDIRECT_LIMIT, nextHop, tooManyRedirects } from './redirect.ts';
import { createResolver } from './resolver.ts';
import type { Resolve } from './resolver.ts';
import { observeEgress } from './telemetry.ts';
import { vetUrl } from './url.ts';
import type { Logger } from '../telemetry/logger.ts';

const MAX_RESPONSE_BYTES = 10 * 1024 * 1024;
/** Of a response; more is `headers_too_large`. */
const MAX_HEADER_BYTES = 16 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;
const HEADERS_TIMEOUT_MS = 300_000;

/** Creates the guarded client. `allow` is the operator's list (see createAddressPolicy); `resolve` replaces DNS in tests. */
export function createEgress(o: {
  readonly allow: readonly string[];
  readonly userAgent: string;
  readonly log: Logger;
  readonly resolve?: Resolve;
}): Egress {
  const vetHost = createVetHost({
    policy: createAddressPolicy(o.allow),
    resolve: o.resolve ?? createResolver(),
    log: o.log,
  });
  const agent = new Agent({
    connect: createConnector(vetHost),
    allowH2: false,
    headersTimeout: HEADERS_TIMEOUT_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Event streams may be silent for a long time; request() has its own deadline.
    bodyTimeout: 0,
  });

  return observeEgress({
    async request(request) {
      const url = vetUrl(request.url);
      const deadline = AbortSignal.timeout(request.timeoutMs);
      const signal = AbortSignal.any([request.signal, deadline]);
      try {
        return await exchange(agent, request, url, signal, o.userAgent);
      } catch (error) {
        throw toEgressError(error, {
          host: url.host,
          isTimedOut: deadline.aborted,
          isAborted: request.signal.aborted,
        });
      }
    },
    fetch: createFetch(agent, o.userAgent),
    async openSocket(host, port, signal) {
      const deadline = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
      const either = AbortSignal.any([signal, deadline]);
      try {
        const addresses = await vetHost(host, port, either);
        return await connect({ host: normalizeHost(host), port, addresses, signal: either });
      } catch (error) {
        throw toEgressError(error, { host, isTimedOut: deadline.aborted, isAborted: signal.aborted });
      }
    },
    close: () => agent.destroy(),
  });
}

async function exchange(
  dispatcher: Dispatcher,
  request: EgressRequest,
  start: URL,
  signal: AbortSignal,
  userAgent: string,
): Promise<EgressResponse> {
  let url = start;
  let { method } = request;
  let body = request.body ?? null;
  let headers = withUserAgent(request.headers ?? {}, userAgent);
  for (let hops = 0; hops <= REDIRECT_LIMIT; hops += 1) {
    const path = url.pathname + url.search;
    const sent = dispatcher.request({ origin: url.origin, path, method, headers, body, signal });
    const response = await orAborted(sent, signal);
    const responseHeaders = flatten(response.headers);
    const hop = nextHop({ status: response.statusCode, location: responseHeaders['location'], url, method });
    if (hop === undefined) {
      const limit = request.maxResponseBytes ?? MAX_RESPONSE_BYTES;
      const isEmpty = method === 'HEAD' || response.statusCode === 204 || response.statusCode === 304;
      const encoding = isEmpty ? undefined : responseHeaders['content-encoding'];
      const bytes = await readBody(response.body, encoding, limit, url.host);
      return { status: response.statusCode, headers: responseHeaders, body: bytes, url: url.href };
    }
    await response.body.dump();
    ({ url, method } = hop);
    if (hop.isBodyDropped) {
      body = null;
      headers = withoutContentHeaders(headers);
    }
  }
  throw tooManyRedirects(url);
}

/** undici checks the signal only once it is connected. */
async function orAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(new Error('The call was aborted.'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([result, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function withUserAgent(headers: Readonly<Record<string, string>>, userAgent: string): Record<string, string> {
  const isSet = Object.keys(headers).some((name) => name.toLowerCase() === 'user-agent');
  return isSet ? { ...headers } : { ...headers, 'user-agent': userAgent };
}

function withoutContentHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^content-/i.test(name)));
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}

async function readBody(
  body: Readable,
  encoding: string | undefined,
  limit: number,
  host: string,
): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Throwing out of the loop destroys the stream and its connection.
  for await (const chunk of decode(body, encoding)) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > limit) {
      throw new EgressError('response_too_large', `The response of ${host} is larger than ${limit} bytes.`);
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

// No encoding is requested, but some servers encode anyway.
function decode(body: Readable, encoding: string | undefined): AsyncIterable<Uint8Array> {
  switch (encoding?.toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return through(body, createGunzip());
    case 'deflate':
      return through(body, createInflate());
    case 'br':
      return through(body, createBrotliDecompress());
    default:
      return body;
  }
}

function through(body: Readable, decoder: Transform): AsyncIterable<Uint8Array> {
  // The reader of the decoder sees every error.
  return pipeline(body, decoder, () => {});
}

function connect(o: {
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[];
  readonly signal: AbortSignal;
}): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({
      host: o.host,
      port: o.port,
      autoSelectFamily: true,
      lookup: fixedLookup(o.addresses),
    });
    const abort = (): void => {
      socket.destroy(new Error('The connection was cancelled.'));
    };
    const settle = (): void => {
      o.signal.removeEventListener('abort', abort);
      socket.removeListener('error', fail);
    };
    const fail = (error: Error): void => {
      settle();
      reject(error);
    };
    o.signal.addEventListener('abort', abort, { once: true });
    socket.once('error', fail);
    socket.once('connect', () => {
      settle();
      resolve(socket);
    });
  });
}
