import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { Catalog } from '../ports/catalog.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';

/** What deleteConnection needs. */
export interface DeleteConnectionDeps {
  readonly catalog: Pick<Catalog, 'deleteApplication'>;
  readonly connections: Pick<ConnectionStore, 'find' | 'delete'>;
  readonly clock: Clock;
}

/**
 * Removes a connection and its credentials, and the application that an MCP connection made. NOT_FOUND where there is
 * none.
 */
export async function deleteConnection(
  deps: DeleteConnectionDeps,
  ctx: RequestContext,
  id: number,
): Promise<void> {
  const accountId = accountOf(ctx);
  const connection = await deps.connections.find(ctx, accountId, id);
  if (connection === undefined) throw notFound('connection');
  const ownsApplication = connection.kind === 'MCPClient';
  // The application goes first: after a crash in between, the account still sees a connection that it can delete
  // again, never an application that it cannot.
  if (ownsApplication) await deps.catalog.deleteApplication(ctx, connection.applicationSlug);
  const wasThere = await deps.connections.delete(ctx, accountId, id, deps.clock.now());
  // And once more: a PUT that ran meanwhile may have written it again while the connection was still there.
  if (ownsApplication) await deps.catalog.deleteApplication(ctx, connection.applicationSlug);
  if (!wasThere) throw notFound('connection');
}
