import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';

/** Eight bytes: length and the code of PostgreSQL's SSLRequest. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** A TLS front with a self-signed certificate for a PostgreSQL server that has no TLS. */
export interface TlsFront {
  readonly port: number;
  /** As PEM. */
  readonly certificate: string;
  close(): Promise<void>;
}

/** Starts the front on a free loopback port; it closes connections that do not request TLS. */
export async function startTlsFront(postgresPort: number): Promise<TlsFront> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = connect(postgresPort, '127.0.0.1');
    for (const end of [socket, upstream]) {
      open.add(end);
      // Either end may vanish at any time; the close event notifies the other one.
      end.on('error', () => undefined);
      end.on('close', () => open.delete(end));
    }
    socket.once('data', (data) => {
      if (!SSL_REQUEST.equals(data)) {
        socket.destroy();
        return;
      }
      socket.write('S', () => {
        const secure = new TLSSocket(socket, { isServer: true, key, cert });
        secure.on('error', () => socket.destroy());
        secure.on('close', () => upstream.destroy());
        upstream.on('close', () => secure.destroy());
        secure.pipe(upstream);
        upstream.pipe(secure);
      });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return {
    port: address.port,
    certificate: cert,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
