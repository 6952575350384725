import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import { checkServer } from '../../domain/mcp-server.ts';
import type { ServerWithToken, ServerContent, ServerEntry } from '../../domain/mcp-server.ts';
import { newToken } from '../../domain/server-token.ts';
import type { ServerStore } from '../../ports/server-store.ts';
import { checkReferences } from './check-references.ts';
import type { CheckReferencesDeps } from './check-references.ts';
import { dropDeletedMembers } from './drop-deleted-members.ts';
import { ensureDefaultServer } from './ensure-default-server.ts';
import type { EnsureDefaultServerDeps } from './ensure-default-server.ts';

export interface CreateServerDeps extends CheckReferencesDeps, EnsureDefaultServerDeps {
  readonly servers: EnsureDefaultServerDeps['servers'] & Pick<ServerStore, 'insert' | 'removeMembers'>;
}

/**
 * Stores an active server with a new token and returns it. VALIDATION_ERROR for invalid members, NOT_FOUND for a connection, tool, workflow
 * or toolset that does not exist, CONFLICT if the account has MAX_SERVERS; then nothing is stored. Not published, because nobody can have
 * cached a new server.
 */
export async function createServer(
  deps: CreateServerDeps,
  ctx: RequestContext,
  sentContent: ServerContent<ServerEntry> & { readonly isAnonymousAllowed: boolean },
): Promise<ServerWithToken> {
  await ensureDefaultServer(deps, ctx);
  const content = checkServer(sentContent);
  const connections = await checkReferences(deps, ctx, content);
  const now = deps.clock.now();
  const times = { createdAt: now, updatedAt: now };
  const server = { ...content, connections, id: uuidv7(now), token: newToken(), isActive: true, ...times };
  await deps.servers.insert(ctx, accountOf(ctx), server);
  return await dropDeletedMembers(deps, ctx, server);
}
