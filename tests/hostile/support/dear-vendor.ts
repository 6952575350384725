import { once } from 'node:events';
import net from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { startTestServer } from '@fairlead/connector-runtime/testing/http-server';

/** A vendor whose next response a test sets. */
export interface DearVendor {
  /** Answers every call with JSON; at `/dear` with that of `respondWith`. */
  readonly url: string;
  /** Lets `writeWith` write the answer to every call, HTTP or not. */
  readonly socketUrl: string;
  respondWith(json: string): void;
  writeWith(answer: (socket: Socket) => void): void;
  close(): Promise<void>;
}

/** Starts the vendor on loopback. */
export async function openDearVendor(): Promise<DearVendor> {
  let json = '{}';
  let write = (socket: Socket): void => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  const headers = { 'content-type': 'application/json' };
  const http = await startTestServer(({ path }) =>
    path === '/dear' ? { headers, body: json } : { body: { ok: true } },
  );
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // The client may have gone before the response is complete.
    socket.on('error', () => undefined);
    socket.on('data', () => write(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    url: http.url,
    socketUrl: `http://127.0.0.1:${port}`,
    respondWith: (text) => void (json = text),
    writeWith: (answer) => void (write = answer),
    async close() {
      await http.close();
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
