import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

/**
 * Takes the network from this process, for good: sockets neither connect nor listen nor send, and no name is resolved. For the entries of
 * workers whose jobs need none; the permissions of a worker (spawnWorker) leave it the network. Sockets that are open stay.
 */
export function denyNetwork(): void {
  const places: readonly (readonly [holder: object, names: readonly string[]])[] = [
    [net.Socket.prototype, ['connect']],
    [net.Server.prototype, ['listen']],
    [dgram.Socket.prototype, ['bind', 'connect', 'send']],
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

/** The functions that ask a server. */
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
