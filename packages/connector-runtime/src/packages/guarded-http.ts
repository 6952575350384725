import http from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import { duplexPair } from 'node:stream';
import type { Duplex } from 'node:stream';
import { MAX_REQUEST_BODY_BYTES } from './package-job.ts';
import type { PackageRequest, PackageResponse } from './package-job.ts';

/** Sends a request on behalf of a package. */
export type SendRequest = (request: PackageRequest) => Promise<PackageResponse>;

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Headers of a single connection, and headers that the service's egress sets itself. */
const HOP =
  /^(?:connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|host|accept-encoding|content-length|content-encoding|proxy-.*)$/;
/** Headers that a redirect to another origin must not carry. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'x-api-key']);

/**
 * Makes `http`, `https` and `fetch` of this process, which has no network, send their requests through `send`. Their connections lead to a
 * server in this process, so the code of a package notices no difference.
 */
export function guardHttp(send: SendRequest): void {
  const origins = new WeakMap<object, string>();
  const sockets = new WeakMap<object, Duplex>();
  const server = http.createServer((request, response) => {
    const { socket } = request;
    void pass(request, response, origins.get(socket) ?? '', send).catch((error: unknown) => {
      sockets.get(socket)?.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  const connect = (protocol: string, { host, port }: ConnectOptions): Duplex => {
    const [near, far] = duplexPair();
    const socket = Object.assign(near, SOCKET_METHODS, { encrypted: protocol === 'https:' });
    const name = host ?? 'localhost';
    origins.set(far, `${protocol}//${name.includes(':') ? `[${name}]` : name}:${port ?? ''}`);
    sockets.set(far, near);
    server.emit('connection', far);
    return socket;
  };
  define(http.Agent.prototype, 'createConnection', (o: ConnectOptions) => connect('http:', o));
  define(https.Agent.prototype, 'createConnection', (o: ConnectOptions) => connect('https:', o));
  define(globalThis, 'fetch', createFetch(send));
}

interface ConnectOptions {
  readonly host?: string;
  readonly port?: number | string;
}

/** Socket methods that HTTP clients call. They have no effect here, because the service limits the time of a call. */
const SOCKET_METHODS = Object.fromEntries(
  ['setTimeout', 'setNoDelay', 'setKeepAlive', 'ref', 'unref'].map((name) => [
    name,
    function (this: unknown) {
      return this;
    },
  ]),
);

function define(holder: object, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, writable: true, configurable: true });
}

async function pass(
  request: IncomingMessage,
  response: ServerResponse,
  origin: string,
  send: SendRequest,
): Promise<void> {
  const parts: Uint8Array[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  const headers = Object.entries(request.headersDistinct).flatMap(([name, values]) =>
    HOP.test(name) ? [] : [[name, (values ?? []).join(', ')] as const],
  );
  const answer = await sendBounded(send, {
    method: request.method ?? 'GET',
    url: new URL(request.url ?? '/', origin).href,
    headers: Object.fromEntries(headers),
    content: Buffer.concat(parts),
  });
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
}

/** Sends a request; throws the reason if the service refuses it. */
async function sendBounded(
  send: SendRequest,
  { content, ...request }: Omit<PackageRequest, 'body'> & { readonly content: Uint8Array },
): Promise<{ readonly status: number; readonly headers: Record<string, string>; readonly body: Buffer }> {
  if (content.length > MAX_REQUEST_BODY_BYTES)
    throw new Error(`The request has more than ${String(MAX_REQUEST_BODY_BYTES / 1024)} KiB.`);
  const answer = await send({ ...request, body: Buffer.from(content).toString('base64') });
  if (answer.kind === 'refused') throw new Error(answer.reason);
  const headers = Object.entries(answer.headers).filter(([name]) => !HOP.test(name));
  return {
    status: answer.status,
    headers: Object.fromEntries(headers),
    body: Buffer.from(answer.body, 'base64'),
  };
}

/** A fetch that follows redirects itself, and drops the credential when one leads to another origin. */
function createFetch(send: SendRequest): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    let { url, method } = request;
    let headers = Object.fromEntries([...request.headers].filter(([name]) => !HOP.test(name)));
    let content = request.body === null ? Buffer.alloc(0) : Buffer.from(await request.arrayBuffer());
    for (let hops = 0; ; hops += 1) {
      const answer = await sendBounded(send, { method, url, headers, content });
      const { location } = answer.headers;
      const isRedirect = REDIRECTS.has(answer.status) && location !== undefined;
      if (!isRedirect || request.redirect === 'manual') {
        const hasBody = ![101, 204, 205, 304].includes(answer.status);
        return new Response(hasBody ? new Uint8Array(answer.body) : null, answer);
      }
      if (request.redirect === 'error' || hops === MAX_REDIRECTS) throw new TypeError('Too many redirects.');
      const next = new URL(location, url);
      if (next.origin !== new URL(url).origin)
        headers = Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIALS.has(name)));
      if (answer.status === 303 || (answer.status < 303 && method === 'POST')) {
        method = 'GET';
        content = Buffer.alloc(0);
      }
      url = next.href;
    }
  };
}
