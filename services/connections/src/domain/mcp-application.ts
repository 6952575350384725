import type { Connector, ConnectorHead, ToolDefinition } from '@fairlead/connector-model/model';
import { validationError } from '@fairlead/errors/api-error';

import type { Connection } from './connection.ts';

/** The application through which any MCP server is connected. */
export const MCP_APPLICATION_SLUG = 'mcp';

/** What an MCP server reports about itself. */
export interface McpServerDescription {
  readonly serverName: string;
  readonly serverVersion: string;
  readonly tools: readonly ToolDefinition[];
}

/** The slug of the application that a connection to an MCP server creates. */
export function mcpApplicationSlug(connectionId: number): string {
  return `${MCP_APPLICATION_SLUG}-${connectionId}`;
}

/**
 * The application whose methods a connection uses. For an MCP connection that is `mcp`, whose methods its own
 * application copies: `mcp` exists even if a crash prevented the creation of that application.
 */
export function connectorSlugOf({
  kind,
  applicationSlug,
}: Pick<Connection, 'kind' | 'applicationSlug'>): string {
  return kind === 'MCPClient' ? MCP_APPLICATION_SLUG : applicationSlug;
}

/** The name of an MCP connection's application: the server's own name if it has one. */
export function mcpApplicationName(connectionId: number, server: McpServerDescription): string {
  return server.serverName === '' ? `MCP server ${connectionId}` : server.serverName;
}

/** Throws VALIDATION_ERROR for an application that one connection owns: a second connection would outlive its tools. */
export function refuseOwnedApplication(head: Pick<ConnectorHead, 'kind' | 'slug'>): void {
  if (head.kind !== 'MCPClient' || head.slug === MCP_APPLICATION_SLUG) return;
  throw validationError({
    field: 'applicationSlug',
    issue: `belongs to another connection; connect the server with the application ${MCP_APPLICATION_SLUG}`,
  });
}

/**
 * The account's application for a connected MCP server: the methods of `head` and the tools of the server.
 * @param version of the connection's credential; it grows each time the tools are read again
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
    // Fairlead has not reviewed these tools.
    maturity: 'generated',
    version: `1.0.${version}`,
    tools: server.tools,
  };
}
