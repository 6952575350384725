import type { FindServerResponse } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { createChangeCaches } from '@fairlead/service-kit/cache/change-cache';
import type { ChangeCacheOptions } from '@fairlead/service-kit/cache/change-cache';
import type { ServerKey } from './addresses.ts';

/** An MCP server, as the gateway needs it. */
export interface FoundServer {
  readonly serverId: string;
  readonly accountId: string;
  readonly isActive: boolean;
  readonly isAnonymousAllowed: boolean;
}

/** Finds a server, active or not; undefined: there is none. */
export type FindServer = (key: ServerKey) => Promise<FoundServer | undefined>;

/** While no change can be missed. */
const FRESH_MS = 30_000;
/** Longest time that a change of a server may go unnoticed. */
const UNCERTAIN_MS = 2_000;
/** Limits the memory that a flood of unknown tokens can occupy. */
const MAX_ENTRIES = 10_000;

/** Servers, cached until a change of their account is announced. */
export function createFindServer(
  o: Pick<ChangeCacheOptions, 'clock' | 'subscribe'> & {
    /** On the platform's own behalf: requests share lookups. */
    readonly find: (key: ServerKey) => Promise<FindServerResponse>;
  },
): FindServer {
  const servers = createChangeCaches({
    clock: o.clock,
    subscribe: o.subscribe,
    freshMs: FRESH_MS,
    uncertainMs: UNCERTAIN_MS,
    announcedMs: FRESH_MS,
    maxEntries: MAX_ENTRIES,
  }).open<FoundServer | undefined>((server) => server?.accountId);

  async function load(key: ServerKey): Promise<FoundServer | undefined> {
    const { serverId, accountId, isActive, isAnonymousAllowed } = await o.find(key);
    return serverId === '' ? undefined : { serverId, accountId, isActive, isAnonymousAllowed };
  }

  return (key) => servers.get(`${key.case} ${key.value}`, () => load(key));
}
