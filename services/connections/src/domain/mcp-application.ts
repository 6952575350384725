import { createHash } from 'node:crypto';
import type { ConnectorHead } from '@fairlead/connector-model/model';
import { validationError } from '@fairlead/errors/api-error';

import type { Connection } from './connection.ts';

/** The slug of the application by which any MCP server is connected. */
export const MCP_APPLICATION_SLUG = 'mcp';

/** The server's description of itself. */
export interface McpServerDescription {
  readonly serverName: string;
  readonly serverVersion: string;
  /** The server's tools as the catalogue stores them: a JSON array in UTF-8, which is not parsed here. */
  readonly toolsJson: Uint8Array;
}

/** Slug of the application that belongs to a connection to an MCP server. */
export function mcpApplicationSlug(connectionId: number): string {
  return `${MCP_APPLICATION_SLUG}-${connectionId}`;
}

/**
 * The application whose methods a connection uses. For an MCP connection this is `mcp`: its own application has copies of the same methods,
 * but may be missing after a crash.
 */
export function connectorSlugOf({
  kind,
  applicationSlug,
}: Pick<Connection, 'kind' | 'applicationSlug'>): string {
  return kind === 'MCPClient' ? MCP_APPLICATION_SLUG : applicationSlug;
}

/** Name of an MCP connection's application: the server's own name if it has one. */
export function mcpApplicationName(connectionId: number, server: McpServerDescription): string {
  return server.serverName === '' ? `MCP server ${connectionId}` : server.serverName;
}

/** Throws VALIDATION_ERROR for an application that belongs to a single connection: deleting that connection would remove its tools. */
export function refuseOwnedApplication(head: Pick<ConnectorHead, 'kind' | 'slug'>): void {
  if (head.kind !== 'MCPClient' || head.slug === MCP_APPLICATION_SLUG) return;
  throw validationError({
    field: 'applicationSlug',
    issue: `belongs to another connection; connect the server with the application ${MCP_APPLICATION_SLUG}`,
  });
}

/** The account's application for a connected MCP server, without the server's tools. */
export interface McpApplication {
  readonly head: ConnectorHead;
  readonly hash: string;
  readonly version: number;
}

/**
 * The account's application for a connected MCP server, with the methods of `head` and the server's tools. An unchanged application keeps
 * its version, a changed one gets the next version.
 */
export function mcpApplication(
  head: ConnectorHead,
  {
    id,
    mcpTools,
    credentialVersion,
  }: Pick<Connection, 'id' | 'mcpTools'> & { readonly credentialVersion?: number },
  server: McpServerDescription,
): McpApplication {
  const name = mcpApplicationName(id, server);
  const described = {
    ...head,
    slug: mcpApplicationSlug(id),
    name,
    description: `The tools of the MCP server ${[name, server.serverVersion].join(' ').trim()}.`,
    // Fairlead has not reviewed these tools.
    maturity: 'generated',
  } as const;
  // Hash of the application's JSON, whose last member is the tools.
  const hash = createHash('sha256')
    .update(`${JSON.stringify({ ...described, version: null }).slice(0, -1)},"tools":`)
    .update(server.toolsJson)
    .update('}')
    .digest('base64url');
  // Before versions were stored, the version was that of the connection's credential.
  const former = mcpTools?.version ?? credentialVersion ?? 0;
  const version = hash === mcpTools?.hash ? former : former + 1;
  return { head: { ...described, version: `1.0.${version}` }, hash, version };
}

/** The connection that an application belongs to; undefined for any other slug. */
export function mcpConnectionId(applicationSlug: string): number | undefined {
  const id = new RegExp(`^${MCP_APPLICATION_SLUG}-([1-9]\\d{0,9})$`).exec(applicationSlug)?.[1];
  return id === undefined ? undefined : Number(id);
}
