import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ServerWithToken } from '../../domain/mcp-server.ts';
import type { ChangeServers } from '../../ports/server-changes.ts';
import { getServer } from '../servers/get-server.ts';
import type { GetServerDeps } from '../servers/get-server.ts';
import { listChangedTools } from './list-changed-tools.ts';
import type { ListChangedToolsDeps } from './list-changed-tools.ts';

export interface AcceptChangesDeps extends ListChangedToolsDeps, GetServerDeps {
  readonly changeServers: ChangeServers;
}

/** Accepts the current definitions of a server's held tools, and returns the server; NOT_FOUND if there is none. */
export async function acceptChanges(
  deps: AcceptChangesDeps,
  ctx: RequestContext,
  tokenHash: string,
): Promise<ServerWithToken> {
  const server = await getServer(deps, ctx, tokenHash);
  const of = { accountId: accountOf(ctx), serverId: server.id };
  await deps.changeServers(of, async () => {
    const changes = await listChangedTools(deps, ctx, server);
    await deps.toolDefinitions.accept(ctx, of, changes);
  });
  return server;
}
