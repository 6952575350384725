import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import { DEFAULT_SETTINGS } from '../../domain/mcp-server.ts';
import { newToken } from '../../domain/server-token.ts';
import type { ServerStore } from '../../ports/server-store.ts';

export interface EnsureDefaultServerDeps {
  readonly servers: Pick<ServerStore, 'hasHadDefault' | 'insertDefault'>;
  readonly clock: Clock;
}

const NAME = 'Default';

/** Creates the account's default server, active and empty, unless the account ever had one: an account that deletes it gets no other. */
export async function ensureDefaultServer(
  { servers, clock }: EnsureDefaultServerDeps,
  ctx: RequestContext,
): Promise<void> {
  const accountId = accountOf(ctx);
  if (await servers.hasHadDefault(ctx, accountId)) return;
  const now = clock.now();
  await servers.insertDefault(ctx, accountId, {
    id: uuidv7(now),
    token: newToken(),
    name: NAME,
    description: '',
    isActive: true,
    isAnonymousAllowed: false,
    connections: [],
    workflowTokens: [],
    settings: DEFAULT_SETTINGS,
    createdAt: now,
    updatedAt: now,
  });
}
