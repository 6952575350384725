import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { ListPart } from '@fairlead/service-kit/page';
import type { ConnectionView } from '../domain/connection.ts';
import type { ConnectionFilter, ConnectionStore } from '../ports/connection-store.ts';

/** One page (or its beginning) of the account's connections, newest first, with their status at `now`. */
export async function listConnections(
  { connections }: { readonly connections: Pick<ConnectionStore, 'list'> },
  ctx: RequestContext,
  filter: ConnectionFilter,
  now: Date,
): Promise<ListPart<ConnectionView>> {
  return await connections.list(ctx, accountOf(ctx), filter, now);
}
