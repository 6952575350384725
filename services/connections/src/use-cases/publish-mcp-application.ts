import type { ConnectorHead } from '@fairlead/connector-model/model';
import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Connection } from '../domain/connection.ts';
import type { McpServerDescription } from '../domain/mcp-application.ts';
import { mcpApplication } from '../domain/mcp-application.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';

interface PublishMcpApplicationDeps {
  readonly catalog: Pick<Catalog, 'putApplication' | 'deleteApplication'>;
  readonly connections: Pick<ConnectionStore, 'saveToolsRead'>;
  readonly clock: Clock;
}

/**
 * Creates the application of a stored MCP connection, or updates its tools. Returns whether they have changed.
 *
 * An account could not delete an application whose connection is gone. So the application is written only while the
 * connection exists, and removed again if the connection was deleted meanwhile; a deletion removes it before and after
 * the connection (delete-connection.ts). A crash leaves at worst a connection without an application, which the account
 * can delete, or repair by a PUT with fields.
 */
export async function publishMcpApplication(
  deps: PublishMcpApplicationDeps,
  ctx: RequestContext,
  connection: Connection,
  head: ConnectorHead,
  server: McpServerDescription,
): Promise<boolean> {
  const { accountId, id, applicationSlug, mcpTools } = connection;
  const application = mcpApplication(head, connection, server);
  const { hash, version } = application;
  // Written even if unchanged: a crash may have lost the application.
  await deps.catalog.putApplication(ctx, application.head, server.toolsJson);
  const read = { readAt: deps.clock.now(), hash, version, applicationName: application.head.name };
  if (await deps.connections.saveToolsRead(ctx, accountId, id, read)) return hash !== mcpTools?.hash;
  await deps.catalog.deleteApplication(ctx, applicationSlug);
  throw notFound('connection');
}
