import http from 'node:http';
import type net from 'node:net';
import { CLIENT_IDLE_MS } from './http-channel.ts';
import { limitConnecting } from './limit-connecting.ts';

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
