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
    const socket = super.createConnection(...args);
    // Node's declaration allows any stream; the default implementation opens a socket.
    const opened = socket as net.Socket;
    const timer = setTimeout(() => {
      const error = new Error('The connection was not established in time.');
      opened.destroy(Object.assign(error, { code: 'ETIMEDOUT', syscall: 'connect' }));
    }, CONNECT_TIMEOUT_MS);
    for (const event of ['connect', 'close']) opened.once(event, () => clearTimeout(timer));
    return opened;
  }
}
