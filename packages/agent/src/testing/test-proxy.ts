import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Duplex } from 'node:stream';
import { createSecureContext, TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { onTestFinished } from 'vitest';

/** A proxy like those of companies. */
export interface TestProxy {
  /** Without user and password. */
  readonly host: string;
  readonly port: number;
  /** The targets of all tunnels, in order. */
  readonly tunnels: string[];
  /** Number of refused requests. */
  refusals(): number;
  /** Cuts all connections, and refuses new ones until `restore`. */
  cut(): void;
  restore(): void;
}

/**
 * Starts a proxy that opens tunnels (CONNECT) for `credentials` (user:password; default: for anyone). All tunnels
 * lead to `target`. With `authority`, it terminates TLS with that authority's certificates, buffers each request and
 * response before it passes them on, and cuts exchanges that take longer than `limitMs`.
 */
export async function startProxy(o: {
  /** An http address. */
  readonly target: string;
  readonly credentials?: string;
  readonly authority?: Authority;
  readonly limitMs?: number;
}): Promise<TestProxy> {
  const tunnels: string[] = [];
  const sockets = new Set<Duplex>();
  let refusals = 0;
  let isCut = false;
  const expected = o.credentials === undefined ? undefined : `Basic ${btoa(o.credentials)}`;
  const reader = createServer(buffering(o.target, o.limitMs ?? 60_000));
  const server = createServer((_, response) => response.writeHead(405).end());
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    if (isCut) {
      socket.destroy();
      return;
    }
    if (expected !== undefined && request.headers['proxy-authorization'] !== expected) {
      refusals += 1;
      socket.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="way out"\r\n\r\n',
      );
      return;
    }
    tunnels.push(request.url ?? '');
    if (o.authority === undefined) relay(socket, new URL(o.target));
    else void intercept(socket, o.authority, (request.url ?? '').replace(/:\d+$/, ''), reader);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
  };
  onTestFinished(() => {
    cut();
    reader.closeAllConnections();
    server.close();
  });
  // The server listens on a port.
  const { port } = server.address() as AddressInfo;
  return {
    host: '127.0.0.1',
    port,
    tunnels,
    refusals: () => refusals,
    cut() {
      isCut = true;
      cut();
    },
    restore() {
      isCut = false;
    },
  };
}

function relay(socket: Duplex, { hostname, port }: URL): void {
  const upstream = net.connect(Number(port), hostname, () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    socket.pipe(upstream).pipe(socket);
  });
  upstream.on('error', () => socket.destroy());
  upstream.on('close', () => socket.destroy());
  socket.on('close', () => upstream.destroy());
}

async function intercept(socket: Duplex, authority: Authority, host: string, reader: Server): Promise<void> {
  const { key, cert } = await authority.issue(host);
  socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
  const secured = new TLSSocket(socket, {
    isServer: true,
    secureContext: createSecureContext({ key, cert }),
  });
  secured.on('error', () => socket.destroy());
  reader.emit('connection', secured);
}

function buffering(target: string, limitMs: number): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    const limit = AbortSignal.timeout(limitMs);
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const pass = async (): Promise<void> => {
      const {
        host: _host,
        connection: _connection,
        'content-length': _length,
        'transfer-encoding': _coding,
        ...headers
      } = request.headers;
      const body = await buffer(request);
      const answer = await fetch(target + (request.url ?? ''), {
        method: request.method ?? 'GET',
        // Each of these headers has one value.
        headers: headers as Record<string, string>,
        body: request.method === 'GET' ? null : body,
        signal: AbortSignal.any([limit, gone.signal]),
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      response.writeHead(answer.status, {
        'content-type': answer.headers.get('content-type') ?? 'text/plain',
      });
      response.end(bytes);
    };
    pass().catch(() => response.destroy());
  };
}

/** An authority that issues certificates. */
export interface Authority {
  /** The authority's certificate, as PEM. */
  readonly cert: string;
  issue(host: string): Promise<{ readonly key: string; readonly cert: string }>;
}

/** Creates the authority of a company with that name. */
export async function createAuthority(organization: string): Promise<Authority> {
  const common = { keyType: 'ec', algorithm: 'sha256' } as const;
  const ca = await generate([{ name: 'organizationName', value: organization }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  return {
    cert: ca.cert,
    async issue(host) {
      const issued = await generate([{ name: 'commonName', value: host }], {
        ...common,
        ca: { key: ca.private, cert: ca.cert },
        extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }],
      });
      return { key: issued.private, cert: issued.cert };
    },
  };
}
