import { notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { noDefault } from '../domain/connection.ts';
import type { Connection } from '../domain/connection.ts';
import type { ConnectionReference } from '../ports/credential-store.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import { getConnection } from './get-connection.ts';
import { listDefaultConnections } from './list-default-connections.ts';

/**
 * The connection that a reference names; NOT_FOUND, or NO_DEFAULT_CONNECTION if the application has no default. An end user sees only their
 * own connections; without a default, the one with the lowest id is used.
 */
export async function resolveConnection(
  deps: { readonly connections: Pick<ConnectionStore, 'find' | 'findDefaults' | 'findOfEndUser'> },
  ctx: RequestContext,
  reference: ConnectionReference,
  endUserId?: string,
): Promise<Connection> {
  if (reference.kind === 'id') {
    const connection = await getConnection(deps, ctx, reference.id);
    if (endUserId !== undefined && connection.endUserId !== endUserId) throw notFound('connection');
    return connection;
  }
  const { applicationSlug } = reference;
  const [connection] = await listDefaultConnections(deps, ctx, [applicationSlug], endUserId);
  if (connection !== undefined) return connection;
  throw noDefault(applicationSlug, endUserId);
}
