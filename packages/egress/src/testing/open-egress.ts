import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { RequestListener, Server } from 'node:http';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import type { Egress, EgressRequest } from '../egress.ts';
import { createEgress } from '../guarded-egress.ts';

/** The log of a test's egress beside the egress itself. */
export type TestEgress = Egress & { logText(): string };

/** An egress that may reach 127.0.0.0/8 unless `allow` says otherwise, closed after the test. */
export function openEgress(o: Partial<Parameters<typeof createEgress>[0]> = {}): TestEgress {
  const { log, text: logText } = captureLog();
  const egress = createEgress({ allow: ['127.0.0.0/8'], userAgent: 'Fairlead/test', log, ...o });
  onTestFinished(() => egress.close());
  return { ...egress, logText };
}

/** A running server on loopback. */
export interface LoopbackServer {
  readonly url: string;
  readonly port: number;
  /** How many connections it has accepted. */
  connections(): number;
  /** How many of them are open. */
  open(): number;
  /** Bytes that it has written to all of them. */
  written(): number;
}

/** Starts an HTTP server on every address of this machine, closed after the test. */
export function serveHttp(listener: RequestListener): Promise<LoopbackServer> {
  return listen(createServer(listener));
}

/** The same over TLS, with that key and certificate. */
export function serveHttps(
  identity: { readonly key: string; readonly cert: string },
  listener: RequestListener,
): Promise<LoopbackServer> {
  return listen(createTlsServer(identity, listener));
}

/** Starts a server that answers each request with what `answer` writes to the connection, whether or not it is HTTP. */
export function serveBytes(answer: (socket: net.Socket, path: string) => void): Promise<LoopbackServer> {
  return listen(
    net.createServer((socket) => {
      socket.on('data', (chunk) => answer(socket, chunk.toString('latin1').split(' ', 2)[1] ?? ''));
    }),
  );
}

async function listen(server: net.Server | Server): Promise<LoopbackServer> {
  const sockets = new Set<net.Socket>();
  let connections = 0;
  let writtenBefore = 0;
  server.on('connection', (socket: net.Socket) => {
    connections += 1;
    sockets.add(socket);
    // The client may be gone before an answer is complete.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      writtenBefore += socket.bytesWritten;
    });
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  // It listens on TCP.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    connections: () => connections,
    open: () => sockets.size,
    written: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, writtenBefore),
  };
}

/** A GET of `url` with ten seconds, unless the parts say otherwise. */
export function get(url: string, parts: Partial<EgressRequest> = {}): EgressRequest {
  return { method: 'GET', url, signal: new AbortController().signal, timeoutMs: 10_000, ...parts };
}
