import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { Catalog } from '../ports/catalog.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import { refuseAgentConnection } from '../domain/connection.ts';
import { getConnection } from './get-connection.ts';

interface DeleteConnectionDeps {
  readonly catalog: Pick<Catalog, 'deleteApplication'>;
  readonly connections: Pick<ConnectionStore, 'find' | 'delete'>;
  readonly clock: Clock;
}

/** Removes a connection, its credentials, and the application of an MCP connection. NOT_FOUND if there is no such connection. */
export async function deleteConnection(
  deps: DeleteConnectionDeps,
  ctx: RequestContext,
  id: number,
): Promise<void> {
  const accountId = accountOf(ctx);
  const connection = await getConnection(deps, ctx, id);
  refuseAgentConnection(connection);
  const ownsApplication = connection.kind === 'MCPClient';
  // The application first: after a crash in between, the account sees a connection, which it can delete again. An application without
  // connection could not be deleted.
  if (ownsApplication) await deps.catalog.deleteApplication(ctx, connection.applicationSlug);
  const wasThere = await deps.connections.delete(ctx, accountId, id, deps.clock.now());
  // Deleted again, because a concurrent PUT may have written it while the connection still existed.
  if (ownsApplication) await deps.catalog.deleteApplication(ctx, connection.applicationSlug);
  if (!wasThere) throw notFound('connection');
}
