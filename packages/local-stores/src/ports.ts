import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const LOOPBACK = '127.0.0.1';
const CONNECT_RETRY_MS = 25;

/** A TCP port of 127.0.0.1 that nobody listens on now. */
export async function freePort(): Promise<number> {
  const port = await tryListen(0);
  if (port === undefined) throw new Error('no free TCP port on 127.0.0.1');
  return port;
}

/** Whether a server could listen on this port of 127.0.0.1 now. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await tryListen(port)) !== undefined;
}

/** Resolves once something accepts connections on the port; rejects when the signal aborts. */
export async function waitForPort(port: number, signal: AbortSignal): Promise<void> {
  while (!(await canConnect(port))) await delay(CONNECT_RETRY_MS, undefined, { signal });
}

function tryListen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen({ host: LOOPBACK, port, exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === 'object' ? address?.port : undefined;
      server.close(() => {
        resolve(bound);
      });
    });
  });
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: LOOPBACK, port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
