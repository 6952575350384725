import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { normalizeHost } from './address.ts';
import { EgressError } from './error.ts';

/** Every address of a host, at least one, or an EgressError. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

const QUERY_TIMEOUT_MS = 2_000;
const TRIES = 2;
const HOSTS_MAX_AGE_MS = 5_000;

/**
 * Resolves hosts without the threads that `dns.lookup` shares with file access: `localhost` and names below it are
 * loopback (RFC 6761), then the hosts file, then DNS (A and AAAA, full names only; about 4 s at most).
 */
export function createResolver(hostsFile = '/etc/hosts'): Resolve {
  const readHosts = createHostsReader(hostsFile);
  return async (host, signal) => {
    const name = normalizeHost(host);
    if (isIP(name) !== 0) return [name];
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    return (await readHosts()).get(name) ?? query(name, signal);
  };
}

async function query(name: string, signal: AbortSignal): Promise<readonly string[]> {
  if (signal.aborted) throw cancelled(name, signal);
  // One per query, so that cancelling it cancels no other; it also picks up changes of resolv.conf.
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: TRIES });
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = [v4, v6].flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (addresses.length > 0) return addresses;
    throw failure(name, v4.status === 'rejected' ? v4.reason : undefined, signal);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function failure(name: string, error: unknown, signal: AbortSignal): EgressError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOTFOUND':
    case 'ENODATA':
    case 'EBADNAME':
    case undefined:
      return new EgressError('dns_not_found', `The host ${name} does not exist.`, error);
    case 'ECANCELLED':
      return cancelled(name, signal);
    case 'ETIMEOUT':
      return tooSlow(name, error);
    default:
      return new EgressError(
        'connection_failed',
        `The name ${name} could not be resolved. Try again.`,
        error,
      );
  }
}

function cancelled(name: string, signal: AbortSignal): EgressError {
  const reason: unknown = signal.reason;
  if (reason instanceof Error && reason.name === 'TimeoutError') return tooSlow(name, reason);
  return new EgressError('aborted', `The call to ${name} was cancelled.`, reason);
}

function tooSlow(name: string, error: unknown): EgressError {
  return new EgressError('timeout', `The name ${name} could not be resolved in time.`, error);
}

function createHostsReader(path: string): () => Promise<ReadonlyMap<string, readonly string[]>> {
  let hosts: ReadonlyMap<string, readonly string[]> = new Map();
  let readAt = -Infinity;
  return async () => {
    if (performance.now() - readAt > HOSTS_MAX_AGE_MS) {
      // A machine without the file has no such names.
      hosts = parseHosts(await readFile(path, 'utf8').catch(() => ''));
      readAt = performance.now();
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
