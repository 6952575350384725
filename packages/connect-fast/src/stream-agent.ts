import http from 'node:http';
import type net from 'node:net';
import { CLIENT_IDLE_MS } from './http-channel.ts';

const CONNECT_TIMEOUT_MS = 2_000;

/**
 * The connections of streams over HTTP/1.1. An idle one is closed as early as those of unary calls, so that no stream
 * is opened on a connection that a stopping server is closing.
 */
export class StreamAgent extends http.Agent {
  constructor() {
    super({ keepAlive: true, timeout: CLIENT_IDLE_MS });
  }

  override createConnection(...args: Parameters<http.Agent['createConnection']>): net.Socket {
    // Node's declaration allows any stream; the default implementation opens a socket.
    return limitConnecting(super.createConnection(...args) as net.Socket);
  }
}

/**
 * Destroys a socket that does not connect in time, with the error of a failed connect: nobody answers at the address of a
 * pod that is gone.
 */
export function limitConnecting(socket: net.Socket): net.Socket {
  const timer = setTimeout(() => {
    const error = new Error('The connection was not established in time.');
    socket.destroy(Object.assign(error, { code: 'ETIMEDOUT', syscall: 'connect' }));
  }, CONNECT_TIMEOUT_MS);
  for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer));
  return socket;
}
