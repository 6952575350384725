import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { requiredServer } from '../../domain/mcp-server.ts';
import type { ServerWithToken } from '../../domain/mcp-server.ts';
import { newToken } from '../../domain/server-token.ts';
import type { ChangeServers } from '../../ports/server-changes.ts';
import type { ServerStore } from '../../ports/server-store.ts';
import { getServer } from './get-server.ts';

export interface RotateTokenDeps {
  readonly servers: Pick<ServerStore, 'find' | 'rotate'>;
  readonly changeServers: ChangeServers;
  readonly clock: Clock;
}

/** Replaces a server's token; NOT_FOUND if there is none. The former token is invalid at once: the two never overlap. */
export async function rotateToken(
  { servers, changeServers, clock }: RotateTokenDeps,
  ctx: RequestContext,
  tokenHash: string,
): Promise<ServerWithToken> {
  const accountId = accountOf(ctx);
  const { id } = await getServer({ servers }, ctx, tokenHash);
  return await changeServers({ accountId, serverId: id }, async () =>
    requiredServer(await servers.rotate(ctx, accountId, { id, tokenHash, token: newToken() }, clock.now())),
  );
}
