import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

/**
 * Permanently removes network access from this process: sockets cannot connect, listen or send, and names are not
 * resolved. For worker entries whose jobs need no network, which a worker's permissions (spawnWorker) do not exclude.
 * Open sockets stay open.
 */
export function denyNetwork(): void {
  const places: readonly (readonly [holder: object, names: readonly string[]])[] = [
    // The functions with an underscore return the handles below sockets, which can also connect and send.
    [net, ['_createServerHandle']],
    [net.Socket.prototype, ['connect']],
    [net.Server.prototype, ['listen', '_listen2']],
    [dgram, ['createSocket', '_createSocketHandle', 'Socket']],
    [dns, functionsOf(dns)],
    [dns.promises, functionsOf(dns.promises)],
    [dns.Resolver.prototype, functionsOf(dns.Resolver.prototype)],
    [dns.promises.Resolver.prototype, functionsOf(dns.promises.Resolver.prototype)],
  ];
  for (const [holder, names] of places)
    for (const name of names)
      Object.defineProperty(holder, name, { value: refuse, writable: false, configurable: false });
  syncBuiltinESMExports();
}

/** The DNS functions that query a server. */
function functionsOf(holder: object): readonly string[] {
  const names = [
    ...Object.getOwnPropertyNames(holder),
    ...Object.getOwnPropertyNames(Object.getPrototypeOf(holder)),
  ];
  return names.filter((name) => /^(?:lookup|resolve|reverse)/.test(name));
}

function refuse(): never {
  throw new Error('Access to the network is restricted in this process.');
}
