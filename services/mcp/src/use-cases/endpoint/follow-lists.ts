import { validationError } from '@fairlead/errors/api-error';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ServedServers } from '../../ports/served-servers.ts';
import type { FollowedLists } from '../../ports/upstreams.ts';

export interface FollowListsDeps {
  readonly servedServers: ServedServers;
  readonly followedLists: Pick<FollowedLists, 'followFor'>;
}

/** As many as an account may have. */
const MAX_SERVERS = 1_000;
/** A gateway that goes on has asked again by then. */
const FOLLOWED_MS = 60_000;

/** Follows the MCP servers behind these servers of the acting account for a minute. Servers that are gone are left out. */
export async function followLists(
  { servedServers, followedLists }: FollowListsDeps,
  ctx: RequestContext,
  serverIds: readonly string[],
): Promise<void> {
  if (serverIds.length > MAX_SERVERS)
    throw validationError({ field: 'serverIds', issue: `must have at most ${MAX_SERVERS} items` });
  const accountId = actingAccountOf(ctx);
  for (const serverId of serverIds) {
    const served = await servedServers.find(ctx, { accountId, serverId, confinedTo: undefined });
    followedLists.followFor(ctx, served?.sources ?? [], FOLLOWED_MS);
  }
}
