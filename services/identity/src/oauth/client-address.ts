import type { IncomingMessage } from 'node:http';

/**
 * The network address that a request comes from. `proxyHops` of the operator's proxies are in front, and each adds the
 * address that it saw to X-Forwarded-For: only these entries are trusted.
 */
export function clientAddress(request: IncomingMessage, proxyHops: number): string {
  const peer = request.socket.remoteAddress ?? 'unknown';
  if (proxyHops === 0) return peer;
  const header = request.headers['x-forwarded-for'];
  const added = (Array.isArray(header) ? header.join(',') : (header ?? ''))
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '')
    .slice(-proxyHops);
  return added[0] === undefined ? peer : withoutPort(added[0]);
}

/** Some proxies also add the port, which differs for each connection. */
function withoutPort(address: string): string {
  const [, host] = /^(?:\[([^\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/.exec(address)?.filter(Boolean) ?? [];
  return host ?? address;
}

/** The key that attempts are counted by: an IPv4 address, or the /64 of an IPv6 one, which belongs to one customer. */
export function placeOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const after = (tail ?? '').split(':').filter((group) => group !== '');
  const zeros = tail === undefined ? 0 : 8 - groups.length - after.length;
  return [...groups, ...Array.from({ length: zeros }, () => '0'), ...after].slice(0, 4).join(':');
}
