import { notFound } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ChangeServers } from '../../ports/server-changes.ts';
import type { ServedDefinitions } from '../../ports/served-definitions.ts';
import type { ServerStore } from '../../ports/server-store.ts';
import { getServer } from './get-server.ts';

export interface DeleteServerDeps {
  readonly servers: Pick<ServerStore, 'find' | 'delete'>;
  readonly toolDefinitions: Pick<ServedDefinitions, 'remove'>;
  readonly changeServers: ChangeServers;
}

/** Removes a server, which invalidates its token; NOT_FOUND if there is none. */
export async function deleteServer(
  { servers, toolDefinitions, changeServers }: DeleteServerDeps,
  ctx: RequestContext,
  tokenHash: string,
): Promise<void> {
  const accountId = accountOf(ctx);
  const { id: serverId } = await getServer({ servers }, ctx, tokenHash);
  await changeServers({ accountId, serverId }, async () => {
    if (!(await servers.delete(ctx, accountId, tokenHash))) throw notFound('MCP server');
    await toolDefinitions.remove(ctx, { accountId, serverId });
  });
}
