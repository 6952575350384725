import type { RequestContext } from '@fairlead/service-kit/context/context';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import { mcpConnectionId } from '../domain/mcp-application.ts';
import type { ConnectionReference } from '../ports/credential-store.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import type { ToolReader } from './read-tools-again.ts';

interface ReadUnknownToolDeps {
  readonly connections: Pick<ConnectionStore, 'find'>;
  readonly toolReader: Pick<ToolReader, 'readForUnknownTool' | 'readAnnounced'>;
}

/**
 * Re-reads the tools of an MCP server, for a caller who wants a tool that the catalogue does not know, or because the server announces a
 * change. Returns whether they changed; false for anything but an MCP connection of the account.
 */
export async function readUnknownTool(
  { connections, toolReader }: ReadUnknownToolDeps,
  ctx: RequestContext,
  reference: ConnectionReference & { readonly isAnnounced: boolean },
): Promise<boolean> {
  const id = reference.kind === 'id' ? reference.id : mcpConnectionId(reference.applicationSlug);
  const connection = id === undefined ? undefined : await connections.find(ctx, actingAccountOf(ctx), id);
  if (connection?.kind !== 'MCPClient') return false;
  return await (reference.isAnnounced
    ? toolReader.readAnnounced(ctx, connection)
    : toolReader.readForUnknownTool(ctx, connection));
}
