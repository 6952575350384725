import { lookup } from 'node:dns/promises';
import { callCountsOf, callsBetween } from './call-counts.ts';
import type { CallCount, CallCounts } from './call-counts.ts';

const NAME = /^(?:dns:\/\/\/|http:\/\/)([^:/]+|\[[^\]]+\]):(\d{1,5})$/;
const TIMEOUT_MS = 5_000;

/** Where the callers serve their metrics: the DNS name of all replicas, and the admin port. */
export interface CallerName {
  readonly host: string;
  readonly port: number;
}

/** Parses the name of callers, `dns:///name:9090` or `http://host:9090`; undefined for any other text. */
export function callerNameOf(text: string): CallerName | undefined {
  const [, host, port] = NAME.exec(text) ?? [];
  return host === undefined ? undefined : { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** The calls to a service, counted by all replicas of its callers, now and later. */
export class Callers {
  readonly #names: readonly CallerName[];
  readonly #service: string;
  /** Undefined: the replica existed, but its counts could not be read. */
  readonly #before = new Map<string, CallCounts | undefined>();

  constructor(names: readonly CallerName[], service: string) {
    this.#names = names;
    this.#service = service;
  }

  /** Begins an interval. Returns the number of replicas that answered. */
  async begin(): Promise<number> {
    for (const [replica, counts] of await this.#read()) this.#before.set(replica, counts);
    return [...this.#before.values()].filter((counts) => counts !== undefined).length;
  }

  /**
   * The calls of the interval. A replica that was added during it counts from its start; a replica whose counts at the beginning are not
   * known is left out, because its calls may be older.
   */
  async end(): Promise<readonly CallCount[]> {
    const after = await this.#read();
    return [...after].flatMap(([replica, counts]) => {
      const before = this.#before.has(replica) ? this.#before.get(replica) : new Map<string, CallCount>();
      return before === undefined || counts === undefined ? [] : callsBetween(before, counts);
    });
  }

  async #read(): Promise<ReadonlyMap<string, CallCounts | undefined>> {
    const pages = (await Promise.all(this.#names.map(replicasOf))).flat().map(async (replica) => {
      const page = await pageOf(replica);
      return [replica, page === undefined ? undefined : callCountsOf(page, this.#service)] as const;
    });
    return new Map(await Promise.all(pages));
  }
}

/** The metrics addresses of each replica; empty while there is no replica. */
async function replicasOf({ host, port }: CallerName): Promise<readonly string[]> {
  const found = await lookup(host, { all: true }).catch(() => []);
  // A replica with both an IPv4 and an IPv6 address would count twice.
  const families = [4, 6].map((family) => found.filter((each) => each.family === family));
  const one = families.find((addresses) => addresses.length > 0) ?? [];
  return one.map(
    ({ address, family }) => `http://${family === 6 ? `[${address}]` : address}:${port}/metrics`,
  );
}

async function pageOf(url: string): Promise<string | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return answer.ok ? await answer.text() : undefined;
  } catch {
    return undefined;
  }
}
