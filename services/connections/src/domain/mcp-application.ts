import { createHash } from 'node:crypto';
import type { ConnectorHead } from '@fairlead/connector-model/model';
import { validationError } from '@fairlead/errors/api-error';

import type { Connection } from './connection.ts';

/** The application through which any MCP server is connected. */
export const MCP_APPLICATION_SLUG = 'mcp';

/** The description that an MCP server gives of itself. */
export interface McpServerDescription {
  readonly serverName: string;
  readonly serverVersion: string;
  /** Its tools as the catalogue stores them: a JSON array in UTF-8, which nothing here builds. */
  readonly toolsJson: Uint8Array;
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

/** The account's application for a connected MCP server, without the tools of the server. */
export interface McpApplication {
  readonly head: ConnectorHead;
  readonly hash: string;
  readonly version: number;
}

/**
 * The account's application for a connected MCP server: the methods of `head` and the tools of the server. An unchanged
 * application keeps its version, a changed one gets the next version.
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
  // Of the JSON of the application, whose last member are the tools.
  const hash = createHash('sha256')
    .update(`${JSON.stringify({ ...described, version: null }).slice(0, -1)},"tools":`)
    .update(server.toolsJson)
    .update('}')
    .digest('base64url');
  // Before versions were kept here, an application had that of its connection's credential.
  const former = mcpTools?.version ?? credentialVersion ?? 0;
  const version = hash === mcpTools?.hash ? former : former + 1;
  return { head: { ...described, version: `1.0.${version}` }, hash, version };
}

/** The connection that owns an application; undefined for the slug of any other. */
export function mcpConnectionId(applicationSlug: string): number | undefined {
  const id = new RegExp(`^${MCP_APPLICATION_SLUG}-([1-9]\\d{0,9})$`).exec(applicationSlug)?.[1];
  return id === undefined ? undefined : Number(id);
}
