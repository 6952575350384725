import { notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { mayRenew } from '../domain/connect-session.ts';
import type { ConnectSession } from '../domain/connect-session.ts';
import type { Connection } from '../domain/connection.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';

/** The connection that a session renews; undefined if it creates new ones. NOT_FOUND if it is gone. */
export async function findRenewedConnection(
  { connections }: { readonly connections: Pick<ConnectionStore, 'find'> },
  ctx: RequestContext,
  session: ConnectSession,
): Promise<Connection | undefined> {
  const { accountId, connectionId } = session;
  if (connectionId === null) return undefined;
  const connection = await connections.find(ctx, accountId, connectionId);
  if (connection === undefined || !mayRenew(session, connection)) throw notFound('connection');
  return connection;
}
