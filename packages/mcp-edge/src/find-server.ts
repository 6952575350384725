import type { FindServerResponse } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { createChangeCaches } from '@fairlead/service-kit/cache/change-cache';
import type { ChangeCacheOptions } from '@fairlead/service-kit/cache/change-cache';
import type { ServerKey } from './addresses.ts';

/** The gateway's view of an MCP server. */
export interface ServerSummary {
  readonly serverId: string;
  readonly accountId: string;
  readonly isActive: boolean;
  readonly isAnonymousAllowed: boolean;
}

/** Finds a server, active or not; undefined: not found. */
export type FindServer = (key: ServerKey) => Promise<ServerSummary | undefined>;

/** Lifetime of a cached server while every change is announced. */
const FRESH_MS = 30_000;
/** Lifetime while a change may go unnoticed. */
const UNCERTAIN_MS = 2_000;
/** Maximum cached servers, against a flood of unknown tokens. */
const MAX_ENTRIES = 10_000;

/** Servers, cached until a change of their account is announced. */
export function createFindServer(
  o: Pick<ChangeCacheOptions, 'clock' | 'subscribe'> & {
    /** Requested for the platform itself, because callers share lookups. */
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
  }).open<ServerSummary | undefined>((server) => server?.accountId);

  async function load(key: ServerKey): Promise<ServerSummary | undefined> {
    const { serverId, accountId, isActive, isAnonymousAllowed } = await o.find(key);
    return serverId === '' ? undefined : { serverId, accountId, isActive, isAnonymousAllowed };
  }

  return (key) => servers.get(`${key.case} ${key.value}`, () => load(key));
}
