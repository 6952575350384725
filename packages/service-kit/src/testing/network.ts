import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';

/** A TCP path to a server that a test can break. */
export interface TestNetwork {
  readonly port: number;
  /** Ends every connection and refuses new ones. */
  cut(): void;
  /** Lets nothing through, in either direction, and tells nobody. */
  freeze(): void;
  /** Ends a cut or a freeze; what a freeze held back goes through. */
  restore(): void;
  close(): Promise<void>;
}

/** Puts a path that can be broken in front of a port of this machine. */
export async function startNetwork(targetPort: number): Promise<TestNetwork> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let state: 'open' | 'cut' | 'frozen' = 'open';
  const server = createServer((near) => {
    if (state === 'cut') {
      near.destroy();
      return;
    }
    const far = connect(targetPort, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (chunk) => void to.write(chunk));
      from.on('error', () => undefined);
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
    if (state === 'frozen') for (const socket of pair) socket.pause();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The network has no port.');
  const all = (act: (socket: Socket) => void): void => {
    for (const pair of pairs) for (const socket of pair) act(socket);
  };
  return {
    port: address.port,
    cut() {
      state = 'cut';
      all((socket) => socket.destroy());
    },
    freeze() {
      state = 'frozen';
      all((socket) => socket.pause());
    },
    restore() {
      state = 'open';
      all((socket) => socket.resume());
    },
    async close() {
      all((socket) => socket.destroy());
      server.close();
      await once(server, 'close');
    },
  };
}
