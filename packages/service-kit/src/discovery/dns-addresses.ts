import { Resolver } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { repeatInBackground } from '../lifecycle/background.ts';
import type { Logger } from '../telemetry/logger.ts';

import type { DnsName } from './address-setting.ts';
import { createReportedList } from './reported-addresses.ts';
import type { OpenAddresses, RecordCount } from './reported-addresses.ts';

const EVERY_MS = 5_000;
const QUERY_TIMEOUT_MS = 1_000;
const TRIES = 2;
/** Minimum pause between look-ups. Calls that find no replica meanwhile share the next one. */
const PAUSE_MS = 250;
const LONGEST_WAIT_MS = 1_000;

/**
 * The addresses of a name, looked up every `everyMs` and on `renew`. A failed look-up keeps the last known addresses.
 * So does a name without addresses, unless it `mayBeEmpty`: its last replicas may still be stopping.
 */
export function openDnsAddresses(
  { name, port, nameServer }: DnsName,
  o: {
    readonly service: string;
    readonly log: Logger;
    readonly everyMs?: number;
    readonly mayBeEmpty?: boolean;
    readonly record?: RecordCount;
  },
): OpenAddresses {
  // Not dns.lookup, which blocks one of the four threads that it shares with file access.
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: TRIES });
  if (nameServer !== undefined) resolver.setServers([nameServer]);
  const list = createReportedList(o);
  let endedAt = -Infinity;
  let underWay: Promise<void> | undefined;
  let renewal: Promise<void> | undefined;

  async function query(): Promise<void> {
    try {
      const hosts = await resolver
        .resolve4(name)
        .catch(async (error: unknown) => {
          // One address family only, because a replica with an address of each would count twice.
          if (!isMissing(error)) throw error;
          return (await resolver.resolve6(name)).map((address) => `[${address}]`);
        })
        .catch((error: unknown): string[] => {
          if (o.mayBeEmpty !== true || !isMissing(error)) throw error;
          return [];
        });
      list.replace(hosts.toSorted().map((host) => `http://${host}:${port}`));
    } finally {
      endedAt = performance.now();
      underWay = undefined;
    }
  }

  const lookUp = (): Promise<void> => (underWay ??= query());

  async function renewSoon(): Promise<void> {
    const leftMs = endedAt + PAUSE_MS - performance.now();
    if (underWay === undefined && leftMs > 0) await delay(leftMs, undefined, { ref: false });
    await lookUp().catch(() => undefined);
    renewal = undefined;
  }

  const repeated = repeatInBackground({
    name: `addresses of ${o.service}`,
    everyMs: o.everyMs ?? EVERY_MS,
    log: o.log,
    work: lookUp,
  });
  return {
    current: list.current,
    subscribe: list.subscribe,
    async renew() {
      renewal ??= renewSoon();
      await Promise.race([renewal, delay(LONGEST_WAIT_MS, undefined, { ref: false })]);
    },
    async close() {
      resolver.cancel();
      await repeated.close();
    },
  };
}

function isMissing(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && (error.code === 'ENODATA' || error.code === 'ENOTFOUND')
  );
}
