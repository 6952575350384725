import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const LOOPBACK = '127.0.0.1';
const CONNECT_RETRY_MS = 25;
// A range of ports that systems do not assign themselves and that the launcher does not use.
const LOWEST_PORT = 12_000;
const HIGHEST_PORT = 20_000;
const TRIES = 1_000;

/**
 * A TCP port of 127.0.0.1 without a listener. Systems do not assign it to other sockets, so it is still free when a process later starts to
 * listen on it, and between two starts of that process.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT);
    if (await isPortFree(port)) return port;
  }
  throw new Error('no free TCP port on 127.0.0.1');
}

/** Whether a server could listen on this port of 127.0.0.1. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen({ host: LOOPBACK, port, exclusive: true }, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}

/** Resolves once something accepts connections on the port; rejects when the signal aborts. */
export async function waitForPort(port: number, signal: AbortSignal): Promise<void> {
  while (!(await canConnect(port))) await delay(CONNECT_RETRY_MS, undefined, { signal });
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
