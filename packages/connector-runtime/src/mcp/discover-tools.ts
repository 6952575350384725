import type { ToolDefinition } from '@fairlead/connector-model/model';
import type { Tool } from '@modelcontextprotocol/client';
import { CallFailure } from '../failure.ts';
import type { McpSession } from './session.ts';
import { toolDefinition } from './tool-definition.ts';
import { toolSlugs } from './tool-slug.ts';

/** The tools of an MCP server, as the catalogue stores them. */
export interface McpDiscovery {
  readonly serverName: string;
  readonly serverVersion: string;
  readonly tools: readonly ToolDefinition[];
}

/** Why a server's tools could not be read; `message` is for people and holds no secret. */
export class McpDiscoveryError extends CallFailure {
  override readonly name = 'McpDiscoveryError';
}

/** Reads the whole of a server's tool list. A second tool of the same name is left out: it could not be called. */
export async function discoverTools({ client, options }: McpSession): Promise<McpDiscovery> {
  const server = client.getServerVersion();
  const tools = new Map<string, Tool>();
  if (client.getServerCapabilities()?.tools !== undefined) {
    // Follows every cursor, up to the session's limit of pages.
    const listed = await client.listTools(undefined, options);
    for (const tool of listed.tools) if (!tools.has(tool.name)) tools.set(tool.name, tool);
  }
  const slugs = toolSlugs([...tools.keys()]);
  return {
    serverName: server?.title ?? server?.name ?? 'MCP server',
    serverVersion: server?.version ?? '',
    tools: [...tools].map(([name, tool]) => toolDefinition(tool, slugs.get(name) ?? name)),
  };
}
