import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * The network address of a request's client. `proxyHops` proxies of the operator are in front, and each appends the
 * address that it saw to X-Forwarded-For; only these entries are trusted. An invalid entry counts as none.
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
  const address = added[0] === undefined ? peer : withoutPort(added[0]);
  return isAddress(address) ? address : peer;
}

/** Some proxies also add the port, which differs for each connection. */
function withoutPort(address: string): string {
  const [, host] = /^(?:\[([^\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/.exec(address)?.filter(Boolean) ?? [];
  return host ?? address;
}

/** Whether the text is an IP address without an IPv6 zone, whose name may have any length and means nothing on this machine. */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%');
}
