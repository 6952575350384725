import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { Connection } from '../domain/connection.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';

/**
 * The account's own default connections of these applications. For an end user their own: the default or, without one, the connection with
 * the lowest id.
 */
export async function listDefaultConnections(
  { connections }: { readonly connections: Pick<ConnectionStore, 'findDefaults' | 'findOfEndUser'> },
  ctx: RequestContext,
  applicationSlugs: readonly string[],
  endUserId?: string,
): Promise<readonly Connection[]> {
  if (endUserId !== undefined)
    return await connections.findOfEndUser(ctx, accountOf(ctx), endUserId, applicationSlugs);
  return await connections.findDefaults(ctx, accountOf(ctx), applicationSlugs);
}
