import type { ConnectorHead } from '@fairlead/connector-model/model';
import { notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Connection } from '../domain/connection.ts';
import type { McpServerDescription } from '../domain/mcp-application.ts';
import { mcpApplication } from '../domain/mcp-application.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';

/** What publishMcpApplication needs. */
export interface PublishMcpApplicationDeps {
  readonly catalog: Pick<Catalog, 'putApplication' | 'deleteApplication'>;
  readonly connections: Pick<ConnectionStore, 'find'>;
}

/**
 * Makes the application of a stored MCP connection, or brings its tools up to date.
 *
 * An application without its connection could not be deleted by its account. So it is written only while the connection
 * is there, and taken back when a deletion of the connection came between; deletion removes it before and after the
 * connection (delete-connection.ts). A crash at any point leaves at worst a connection without application, which can
 * be deleted, or repaired by a PUT with fields.
 */
export async function publishMcpApplication(
  deps: PublishMcpApplicationDeps,
  ctx: RequestContext,
  connection: Connection,
  head: ConnectorHead,
  server: McpServerDescription,
): Promise<void> {
  const { accountId, id, credentialVersion, applicationSlug } = connection;
  await deps.catalog.putApplication(ctx, mcpApplication(head, id, credentialVersion, server));
  if ((await deps.connections.find(ctx, accountId, id)) !== undefined) return;
  await deps.catalog.deleteApplication(ctx, applicationSlug);
  throw notFound('connection');
}
