import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { requiredServer } from '../../domain/mcp-server.ts';
import type { ServerWithToken } from '../../domain/mcp-server.ts';
import type { ServerStore } from '../../ports/server-store.ts';

export interface GetServerDeps {
  readonly servers: Pick<ServerStore, 'find'>;
}

/** The account's server with that token hash; NOT_FOUND if there is none. */
export async function getServer(
  { servers }: GetServerDeps,
  ctx: RequestContext,
  tokenHash: string,
): Promise<ServerWithToken> {
  return requiredServer(await servers.find(ctx, accountOf(ctx), tokenHash));
}
