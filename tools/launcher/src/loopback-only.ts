/**
 * Preloaded (`node --import`) into a program that listens on every interface and cannot be told otherwise:
 * makes `server.listen(port, …)` listen on 127.0.0.1. The MCP reference server has tools, such as one that
 * prints its environment, that are nobody's business but this machine's.
 */
import { Server } from 'node:net';

// oxlint-disable-next-line typescript/unbound-method -- called with its server by Reflect.apply
const listen = Server.prototype.listen;

Server.prototype.listen = function listenOnLoopback(this: Server, ...args: unknown[]): Server {
  const [port, next, ...rest] = args;
  const isPort = typeof port === 'number' || (typeof port === 'string' && /^\d+$/.test(port));
  const bound = isPort && typeof next !== 'string' ? [port, '127.0.0.1', next, ...rest] : args;
  return Reflect.apply(listen, this, bound) as Server; // net.Server.listen answers the server itself
};
