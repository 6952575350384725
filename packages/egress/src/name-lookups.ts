import { Resolver } from 'node:dns/promises';
import { EgressError } from './error.ts';

/** Timeout of the first try; the second one waits longer. */
const QUERY_TIMEOUT_MS = 2_000;
const TRIES = 2;
/** Maximum time for which addresses are cached, even if their name server allows more. */
const MAX_KEPT_MS = 30_000;
const MISSING_KEPT_MS = 5_000;
/** Size of the cache of names that exist, and of the cache of names that do not. */
const MAX_NAMES = 1_000;
/** The maximum number of addresses that are cached for one name. */
const MAX_ADDRESSES = 16;

/** The addresses of a name, and how long its name server allows them to be cached. */
interface LookupResult {
  readonly addresses: readonly string[];
  readonly ttlMs: number;
}

interface Running {
  readonly result: Promise<readonly string[]>;
  readonly abort: AbortController;
  callers: number;
}

/**
 * Resolves names by DNS (A and AAAA). Concurrent requests for a name share one look-up. Addresses are cached as long as the name server
 * allows, at most 30 s; that a name does not exist, 5 s. `now` is in milliseconds; `servers` replace the system's.
 */
export class NameLookups {
  readonly #servers: readonly string[] | undefined;
  readonly #now: () => number;
  readonly #running = new Map<string, Running>();
  readonly #found = new ShortLived<readonly string[]>(MAX_NAMES);
  readonly #missing = new ShortLived<EgressError>(MAX_NAMES);

  constructor(o: { readonly servers?: readonly string[]; readonly now?: () => number } = {}) {
    this.#servers = o.servers;
    this.#now = o.now ?? (() => performance.now());
  }

  /** At least one address; throws EgressError. A name server that does not answer is abandoned after about 7 s. */
  async resolve(name: string, signal: AbortSignal): Promise<readonly string[]> {
    if (signal.aborted) throw cancelled(name, signal);
    const now = this.#now();
    const kept = this.#found.get(name, now);
    if (kept !== undefined) return kept;
    const missing = this.#missing.get(name, now);
    if (missing !== undefined) throw missing;
    return this.#share(name, signal);
  }

  async #share(name: string, signal: AbortSignal): Promise<readonly string[]> {
    const running = this.#running.get(name) ?? this.#start(name);
    running.callers += 1;
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(cancelled(name, signal));
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await Promise.race([running.result, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', abort);
      running.callers -= 1;
      if (running.callers === 0) this.#end(name, running);
    }
  }

  #start(name: string): Running {
    const abort = new AbortController();
    const result = query(name, this.#servers, abort.signal).then(
      ({ addresses, ttlMs }) => {
        this.#found.set(name, addresses, this.#now() + Math.min(ttlMs, MAX_KEPT_MS));
        return addresses;
      },
      (error: unknown) => {
        const isMissing = error instanceof EgressError && error.code === 'dns_not_found';
        if (isMissing) this.#missing.set(name, error, this.#now() + MISSING_KEPT_MS);
        throw error;
      },
    );
    const running: Running = { result, abort, callers: 0 };
    this.#running.set(name, running);
    return running;
  }

  /** The last caller has its result, or has stopped waiting. */
  #end(name: string, running: Running): void {
    this.#running.delete(name);
    running.abort.abort();
    // Nobody waits for its result.
    running.result.catch(() => undefined);
  }
}

/** Values that each expire at a given time, at most a given number of them: the oldest is evicted first. */
class ShortLived<V> {
  readonly #entries = new Map<string, { readonly value: V; readonly endsAt: number }>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get(key: string, now: number): V | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && now < entry.endsAt ? entry.value : undefined;
  }

  set(key: string, value: V, endsAt: number): void {
    this.#entries.delete(key);
    const [first] = this.#entries.keys();
    if (this.#entries.size >= this.#max && first !== undefined) this.#entries.delete(first);
    this.#entries.set(key, { value, endsAt });
  }
}

async function query(
  name: string,
  servers: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<LookupResult> {
  // One resolver per name, so that cancelling it cancels no other look-up; it also picks up changes of resolv.conf.
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const results = await Promise.allSettled([
      resolver.resolve4(name, { ttl: true }),
      resolver.resolve6(name, { ttl: true }),
    ]);
    const records = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (records.length === 0) {
      throw failure(
        name,
        results.map((result) => (result.status === 'rejected' ? codeOf(result.reason) : undefined)),
      );
    }
    return {
      addresses: records.slice(0, MAX_ADDRESSES).map(({ address }) => address),
      ttlMs: Math.min(...records.map(({ ttl }) => ttl)) * 1_000,
    };
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

const MISSING: ReadonlySet<string | undefined> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', undefined]);

/** `codes` of both record types: the name does not exist only if neither look-up failed in another way. */
function failure(name: string, codes: readonly (string | undefined)[]): EgressError {
  const code = codes.find((candidate) => !MISSING.has(candidate));
  if (code === undefined) return new EgressError('dns_not_found', `The host ${name} does not exist.`);
  return code === 'ETIMEOUT'
    ? tooSlow(name)
    : new EgressError('connection_failed', `The name ${name} could not be resolved. Try again.`);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function cancelled(name: string, signal: AbortSignal): EgressError {
  const reason: unknown = signal.reason;
  if (reason instanceof Error && reason.name === 'TimeoutError') return tooSlow(name, reason);
  return new EgressError('aborted', `The call to ${name} was cancelled.`, reason);
}

function tooSlow(name: string, cause?: unknown): EgressError {
  return new EgressError('timeout', `The name ${name} could not be resolved in time.`, cause);
}
