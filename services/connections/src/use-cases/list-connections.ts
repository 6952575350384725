import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { ConnectionFilter, ConnectionPage, ConnectionStore } from '../ports/connection-store.ts';

/** One page of the account's connections, newest first, with the status that they have at `now`. */
export async function listConnections(
  { connections }: { readonly connections: Pick<ConnectionStore, 'list'> },
  ctx: RequestContext,
  filter: ConnectionFilter,
  now: Date,
): Promise<ConnectionPage> {
  return await connections.list(ctx, accountOf(ctx), filter, now);
}
