import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { normalizeHost } from './address.ts';
import { EgressError } from './error.ts';
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

/**
 * Resolves hosts as every program of the machine does: short names, search domains and name services included. A look-up occupies a thread
 * until the machine abandons it, so this is for programs that serve a single account.
 */
export const resolveAsMachine: Resolve = async (host, signal) => {
  const name = normalizeHost(host);
  const aborted = Promise.withResolvers<never>();
  const abort = (): void =>
    aborted.reject(new EgressError('aborted', `The name ${name} was not resolved in time.`));
  signal.addEventListener('abort', abort, { once: true });
  try {
    const found = await Promise.race([lookup(name, { all: true }), aborted.promise]);
    return found.map(({ address }) => address);
  } catch (error) {
    if (error instanceof EgressError) throw error;
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOTFOUND';
    throw isMissing
      ? new EgressError('dns_not_found', `The host ${name} does not exist.`, error)
      : new EgressError('connection_failed', `The name ${name} could not be resolved. Try again.`, error);
  } finally {
    signal.removeEventListener('abort', abort);
  }
};

type Hosts = ReadonlyMap<string, readonly string[]>;

function createHostsReader(path: string): () => Promise<Hosts> {
  let hosts: Promise<Hosts> | undefined;
  let readAt = -Infinity;
  return () => {
    const now = performance.now();
    if (hosts === undefined || now - readAt > HOSTS_MAX_AGE_MS) {
      readAt = now;
      // A machine without a hosts file has no such names.
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
