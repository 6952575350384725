import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { normalizeHost } from './address.ts';
import { NameLookups } from './name-lookups.ts';

/** Every address of a host, at least one, or an EgressError. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

const HOSTS_MAX_AGE_MS = 5_000;

/**
 * Resolves hosts without the threads that `dns.lookup` shares with file access: `localhost` and names below it are
 * loopback (RFC 6761), then the hosts file, then DNS (full names only).
 */
export function createResolver(hostsFile = '/etc/hosts', lookups = new NameLookups()): Resolve {
  const readHosts = createHostsReader(hostsFile);
  return async (host, signal) => {
    const name = normalizeHost(host);
    if (isIP(name) !== 0) return [name];
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    return (await readHosts()).get(name) ?? lookups.resolve(name, signal);
  };
}

type Hosts = ReadonlyMap<string, readonly string[]>;

function createHostsReader(path: string): () => Promise<Hosts> {
  let hosts: Promise<Hosts> | undefined;
  let readAt = -Infinity;
  return () => {
    const now = performance.now();
    if (hosts === undefined || now - readAt > HOSTS_MAX_AGE_MS) {
      readAt = now;
      // A machine without the file has no such names.
      hosts = readFile(path, 'utf8').then(parseHosts, () => new Map());
    }
    return hosts;
  };
}

function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names)
      hosts.set(normalizeHost(name), [...(hosts.get(normalizeHost(name)) ?? []), address]);
  }
  return hosts;
}
