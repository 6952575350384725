import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ConnectSession } from '../domain/connect-session.ts';
import { tooManyConnections } from '../domain/end-user.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';

/** Throws CONFLICT if the end user has the maximum number of connections; called before a vendor is asked. */
export async function requirePlace(
  { connections }: { readonly connections: Pick<ConnectionStore, 'countOfEndUser'> },
  ctx: RequestContext,
  { accountId, endUserId, maxConnections }: ConnectSession,
): Promise<void> {
  const count = await connections.countOfEndUser(ctx, accountId, endUserId, maxConnections);
  if (count >= maxConnections) throw tooManyConnections(maxConnections);
}
