import { notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { Connection } from '../domain/connection.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';

/** The account's connection with that id, of any kind; NOT_FOUND if there is none. */
export async function getConnection(
  { connections }: { readonly connections: Pick<ConnectionStore, 'find'> },
  ctx: RequestContext,
  id: number,
): Promise<Connection> {
  const connection = await connections.find(ctx, accountOf(ctx), id);
  if (connection === undefined) throw notFound('connection');
  return connection;
}
