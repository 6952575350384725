/**
 * Preloaded (`node --import`) into a program that always listens on every interface:
 * makes `server.listen(port, …)` listen on 127.0.0.1. The MCP reference server has tools that must not be reachable
 * from other machines, such as one that prints its environment.
 */
import { Server } from 'node:net';

// oxlint-disable-next-line typescript/unbound-method -- called with its server by Reflect.apply
const listen = Server.prototype.listen;

Server.prototype.listen = function listenOnLoopback(this: Server, ...args: unknown[]): Server {
  const [port, next, ...rest] = args;
  const isPort = typeof port === 'number' || (typeof port === 'string' && /^\d+$/.test(port));
  const bound = isPort && typeof next !== 'string' ? [port, '127.0.0.1', next, ...rest] : args;
  return Reflect.apply(listen, this, bound) as Server; // net.Server.listen returns the server itself
};
