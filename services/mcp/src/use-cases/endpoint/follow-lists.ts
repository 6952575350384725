import { validationError } from '@fairlead/errors/api-error';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ActiveServers } from '../../ports/active-servers.ts';
import type { FollowedLists } from '../../ports/upstreams.ts';

export interface FollowListsDeps {
  readonly activeServers: ActiveServers;
  readonly followedLists: Pick<FollowedLists, 'followFor'>;
}

/** The maximum number of servers per account. */
const MAX_SERVERS = 1_000;
/** A gateway that is still interested asks again within this time. */
const FOLLOWED_MS = 60_000;

/** Follows the MCP servers behind these servers of the acting account for a minute. Missing servers are skipped. */
export async function followLists(
  { activeServers, followedLists }: FollowListsDeps,
  ctx: RequestContext,
  serverIds: readonly string[],
): Promise<void> {
  if (serverIds.length > MAX_SERVERS)
    throw validationError({ field: 'serverIds', issue: `must have at most ${MAX_SERVERS} items` });
  const accountId = actingAccountOf(ctx);
  for (const serverId of serverIds) {
    const served = await activeServers.find(ctx, { accountId, serverId, confinedTo: undefined });
    followedLists.followFor(ctx, served?.sources ?? [], FOLLOWED_MS);
  }
}
