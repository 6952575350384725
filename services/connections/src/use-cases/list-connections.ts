import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { ListPart } from '@fairlead/service-kit/page';
import type { ListedConnection } from '../domain/connection.ts';
import type { ConnectionFilter, ConnectionStore } from '../ports/connection-store.ts';

/** One page of the account's connections, or its beginning, newest first, with the status that they have at `now`. */
export async function listConnections(
  { connections }: { readonly connections: Pick<ConnectionStore, 'list'> },
  ctx: RequestContext,
  filter: ConnectionFilter,
  now: Date,
): Promise<ListPart<ListedConnection>> {
  return await connections.list(ctx, accountOf(ctx), filter, now);
}
