import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { RequestListener, Server } from 'node:http';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import type { Egress, EgressRequest } from '../egress.ts';
import { createGuardedEgress } from '../guarded-egress.ts';

/** The log of a test's egress, and the egress itself. */
export type TestEgress = Egress & { logText(): string };

/** An egress that may reach 127.0.0.0/8 unless `allow` says otherwise, closed after the test. */
export function testEgress(o: Partial<Parameters<typeof createGuardedEgress>[0]> = {}): TestEgress {
  const { log, text: logText } = captureLog();
  const egress = createGuardedEgress({ allow: ['127.0.0.0/8'], userAgent: 'Fairlead/test', log, ...o });
  onTestFinished(() => egress.close());
  return { ...egress, logText };
}

/** A running server on loopback. */
export interface LoopbackServer {
  readonly url: string;
  readonly port: number;
  /** The number of connections that it has accepted. */
  connections(): number;
  /** The number of its open connections. */
  open(): number;
  /** The number of bytes that it has written to all connections. */
  written(): number;
}

/** Starts an HTTP server on every address of this machine, closed after the test. */
export function serveHttp(listener: RequestListener): Promise<LoopbackServer> {
  return listen(createServer(listener));
}

/** Starts the same server over TLS, with this key and certificate. */
export function serveHttps(
  identity: { readonly key: string; readonly cert: string },
  listener: RequestListener,
): Promise<LoopbackServer> {
  return listen(createTlsServer(identity, listener));
}

/** Starts a server for which `answer` writes the bytes of each response to the connection, whether or not they are HTTP. */
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
    // The client may have disconnected before an answer is complete.
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
  // The server listens on TCP.
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
