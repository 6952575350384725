import type { Connector, ConnectorHead, ToolDefinition } from '@fairlead/connector-model/model';
import { validationError } from '@fairlead/errors/api-error';

import type { Connection } from './connection.ts';

/** The application through which any MCP server is connected. */
export const MCP_APPLICATION_SLUG = 'mcp';

/** What an MCP server said of itself. */
export interface McpServerDescription {
  readonly serverName: string;
  readonly serverVersion: string;
  readonly tools: readonly ToolDefinition[];
}

/** The slug of the application that a connection to an MCP server makes. */
export function mcpApplicationSlug(connectionId: number): string {
  return `${MCP_APPLICATION_SLUG}-${connectionId}`;
}

/**
 * The application whose methods a connection follows. That of an MCP connection has the methods of `mcp`, which are asked
 * for instead: they are there even if a crash kept its own application from being made.
 */
export function connectorSlugOf({
  kind,
  applicationSlug,
}: Pick<Connection, 'kind' | 'applicationSlug'>): string {
  return kind === 'MCPClient' ? MCP_APPLICATION_SLUG : applicationSlug;
}

/** The name of that application: the server's own where it has one. */
export function mcpApplicationName(connectionId: number, server: McpServerDescription): string {
  return server.serverName === '' ? `MCP server ${connectionId}` : server.serverName;
}

/** Throws VALIDATION_ERROR for an application that belongs to one connection: a second one would outlive its tools. */
export function refuseOwnedApplication(head: Pick<ConnectorHead, 'kind' | 'slug'>): void {
  if (head.kind !== 'MCPClient' || head.slug === MCP_APPLICATION_SLUG) return;
  throw validationError({
    field: 'applicationSlug',
    issue: `belongs to another connection; connect the server with the application ${MCP_APPLICATION_SLUG}`,
  });
}

/**
 * The application of the account's own for a connected MCP server: the methods of `head`, the tools of the server.
 * @param version of the connection's credential, which grows whenever the tools are read again
 */
export function mcpApplication(
  head: ConnectorHead,
  connectionId: number,
  version: number,
  server: McpServerDescription,
): Connector {
  const name = mcpApplicationName(connectionId, server);
  return {
    ...head,
    slug: mcpApplicationSlug(connectionId),
    name,
    description: `The tools of the MCP server ${[name, server.serverVersion].join(' ').trim()}.`,
    // Nobody at Fairlead has looked at them.
    maturity: 'generated',
    version: `1.0.${version}`,
    tools: server.tools,
  };
}
