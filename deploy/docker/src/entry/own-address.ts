import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * HTTP/1.1 address of this container for the others: the default of REPLICA_URL where it listens on a wildcard. `podIp` is the
 * address by which a cluster knows it; without one an interface's is taken. Undefined if the container has no network.
 */
export function replicaAddress(
  port: string,
  podIp?: string,
  interfaces = networkInterfaces(),
): string | undefined {
  const address = podIp || interfaceAddress(interfaces);
  if (address === undefined) return undefined;
  return `http://${isIPv6(address) ? `[${address}]` : address}:${port}`;
}

function interfaceAddress(interfaces: ReturnType<typeof networkInterfaces>): string | undefined {
  const addresses = Object.values(interfaces).flatMap((list) => list ?? []);
  const reachable = addresses.filter(({ internal }) => !internal);
  return (reachable.find(({ family }) => family === 'IPv4') ?? reachable[0])?.address;
}

/** Address to listen on: that of HOST; a pod whose own address is of IPv6 listens on that family too. */
export function listenAddress(host: string, podIp: string | undefined): string {
  return host === '0.0.0.0' && podIp !== undefined && isIPv6(podIp) ? '::' : host;
}
