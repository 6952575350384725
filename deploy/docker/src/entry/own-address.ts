import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/**
 * HTTP/1.1 address of this container for its peers: the default of REPLICA_URL when listening on a wildcard. `podIp` is its address in the
 * cluster; without it an interface's address is used. Undefined without a network.
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

/** Address to listen on: HOST; if the pod's own address is IPv6, all addresses of both families. */
export function listenAddress(host: string, podIp: string | undefined): string {
  return host === '0.0.0.0' && podIp !== undefined && isIPv6(podIp) ? '::' : host;
}
