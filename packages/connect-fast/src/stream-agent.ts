import http from 'node:http';
import type net from 'node:net';
import { CLIENT_IDLE_MS } from './http-channel.ts';
import { limitConnecting } from './limit-connecting.ts';

/**
 * The HTTP/1.1 connections of streams. Idle ones are closed as early as those of unary calls, so that no stream is
 * opened on a connection that a stopping server is closing.
 */
export class StreamAgent extends http.Agent {
  constructor() {
    super({ keepAlive: true, timeout: CLIENT_IDLE_MS });
  }

  override createConnection(...args: Parameters<http.Agent['createConnection']>): net.Socket {
    // Node's type allows any stream; the default implementation opens a socket.
    return limitConnecting(super.createConnection(...args) as net.Socket);
  }
}
