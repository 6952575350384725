import { createChangeCaches } from '@fairlead/service-kit/cache/change-cache';
import type { ChangeCacheOptions } from '@fairlead/service-kit/cache/change-cache';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import { SharedSpace } from '@fairlead/service-kit/cache/shared-space';
import type { ActiveServer, ActiveServers, ServerOf } from '../ports/active-servers.ts';

/** Age up to which an entry is used while no change can have been missed. */
const FRESH_MS = 30_000;
/** Age up to which an entry is used otherwise: the longest time that a change may go unnoticed. */
const UNCERTAIN_MS = 1_500;
/** Age up to which an entry is used while another service is unavailable. */
const AWAY_MS = 60_000;
const LOAD_TIMEOUT_MS = 10_000;
const MAX_SERVERS = 1_000;
const MIB = 1024 * 1024;
/** Cache size of the lists, in total and per account. A larger list is loaded for each request. */
const SPACE = { bytes: 256 * MIB, bytesPerOwner: 64 * MIB };
/** Approximate size of a tool and of a server, apart from the text of their lists. */
const OVERHEAD_BYTES = 1_024;

/**
 * The active servers with their tools, loaded on behalf of the account. One list serves all callers, and calls need no new listing. A load
 * does not end with its caller.
 */
export function createActiveServers(
  load: (ctx: RequestContext, of: ServerOf) => Promise<ActiveServer | undefined>,
  o: Pick<ChangeCacheOptions, 'clock' | 'subscribe'>,
): ActiveServers {
  const caches = createChangeCaches({
    ...o,
    freshMs: FRESH_MS,
    uncertainMs: UNCERTAIN_MS,
    awayMs: AWAY_MS,
    announcedMs: FRESH_MS,
    maxEntries: MAX_SERVERS,
  });
  // A space separates the account id, which contains none.
  const cache = caches.open<ActiveServer | undefined>((served, key) =>
    served === undefined ? undefined : key.slice(0, key.indexOf(' ')),
  );
  const space = new SharedSpace<true>(SPACE, (key) => cache.forget(key));
  return {
    async find(ctx, of) {
      const { accountId, serverId, confinedTo = '' } = of;
      const key = `${accountId} ${serverId} ${confinedTo}`;
      let isNew = false;
      const served = await cache.get(key, () => {
        isNew = true;
        const caller = { kind: 'serviceForAccount', service: 'mcp', accountId } as const;
        return load({ ...detachedContext(ctx, LOAD_TIMEOUT_MS), caller }, of);
      });
      if (isNew && served !== undefined)
        space.set(key, { owner: accountId, bytes: bytesOf(served), value: true });
      else space.get(key);
      return served;
    },
  };
}

/** Approximate memory of a server's list, whose pages repeat the text of the tools. */
function bytesOf({ tools }: ActiveServer): number {
  let bytes = OVERHEAD_BYTES;
  for (const { listed } of tools.values()) bytes += 2 * listed.bytes.length + OVERHEAD_BYTES;
  return bytes;
}
