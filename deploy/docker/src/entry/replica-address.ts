import { networkInterfaces } from 'node:os';

/**
 * HTTP/1.1 address of this container for the others: the default of REPLICA_URL where it listens on a wildcard. Undefined if the
 * container has no network.
 */
export function replicaAddress(port: string, interfaces = networkInterfaces()): string | undefined {
  const addresses = Object.values(interfaces).flatMap((list) => list ?? []);
  const reachable = addresses.filter(({ internal }) => !internal);
  const chosen = reachable.find(({ family }) => family === 'IPv4') ?? reachable[0];
  if (chosen === undefined) return undefined;
  return `http://${chosen.family === 'IPv4' ? chosen.address : `[${chosen.address}]`}:${port}`;
}
