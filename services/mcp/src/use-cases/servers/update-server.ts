import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { checkServer, requiredServer } from '../../domain/mcp-server.ts';
import type { ServerWithToken, ServerChange, ServerEntry } from '../../domain/mcp-server.ts';
import type { ChangeServers } from '../../ports/server-changes.ts';
import type { ServedDefinitions } from '../../ports/served-definitions.ts';
import type { ServerStore } from '../../ports/server-store.ts';
import { checkReferences } from './check-references.ts';
import type { CheckReferencesDeps } from './check-references.ts';
import { dropDeletedMembers } from './drop-deleted-members.ts';
import { getServer } from './get-server.ts';

export interface UpdateServerDeps extends CheckReferencesDeps {
  readonly servers: Pick<ServerStore, 'find' | 'update' | 'removeMembers'>;
  readonly toolDefinitions: Pick<ServedDefinitions, 'remove'>;
  readonly changeServers: ChangeServers;
  readonly clock: Clock;
}

/**
 * Changes a server and returns it; with concurrent changes of one member, the later one wins. NOT_FOUND if there is no such server;
 * VALIDATION_ERROR and NOT_FOUND as for createServer; then nothing has changed. If holding changed tools is turned off, the stored
 * definitions are dropped.
 */
export async function updateServer(
  deps: UpdateServerDeps,
  ctx: RequestContext,
  tokenHash: string,
  sentChange: ServerChange<ServerEntry>,
): Promise<ServerWithToken> {
  const accountId = accountOf(ctx);
  const content = checkServer(sentChange);
  const { id: serverId } = await getServer(deps, ctx, tokenHash);
  const connections = await checkReferences(deps, ctx, content);
  const { connections: entries, ...same } = content;
  const change = { ...same, ...(entries && { connections }) };
  return await deps.changeServers({ accountId, serverId }, async () => {
    const now = deps.clock.now();
    const server = requiredServer(await deps.servers.update(ctx, accountId, tokenHash, change, now));
    if (change.settings?.holdChangedTools === false)
      await deps.toolDefinitions.remove(ctx, { accountId, serverId });
    return change.connections || change.workflowTokens ? await dropDeletedMembers(deps, ctx, server) : server;
  });
}
