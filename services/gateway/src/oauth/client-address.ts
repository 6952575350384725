import type { IncomingMessage } from 'node:http';

/**
 * The network address that a request comes from. `proxyHops` proxies of the operator's stand in front, each of which
 * adds the address that it saw to X-Forwarded-For: only what they added is believed.
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
  return added[0] ?? peer;
}
