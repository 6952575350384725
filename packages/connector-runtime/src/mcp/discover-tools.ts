import {
  MAX_CONNECTOR_NAME_LENGTH,
  MAX_MCP_TOOL_NAME_LENGTH,
  MAX_TOOLS,
} from '@fairlead/connector-model/limits';
import type { Json, JsonObject, ToolDefinition } from '@fairlead/connector-model/model';
import type { Tool } from '@modelcontextprotocol/client';
import { cutText } from '../cut-text.ts';
import { CallFailure } from '../failure.ts';
import { isArray, isObject, textOf } from '../templates.ts';
import type { McpSession } from './session.ts';
import { schemaIntake, toolDefinition } from './tool-definition.ts';
import { toolSlugs } from './tool-slug.ts';

/** The tools of an MCP server, as the catalogue stores them. */
export interface McpDiscovery {
  /** Empty if the server does not state its name. */
  readonly serverName: string;
  readonly serverVersion: string;
  readonly tools: readonly ToolDefinition[];
}

/** Why a server's tools could not be read; `message` is for people and holds no secret. */
export class McpDiscoveryError extends CallFailure {
  override readonly name = 'McpDiscoveryError';
}

/**
 * Reads a server's tool list, as much of it as the catalogue accepts. Omits tools that could not be called (a second
 * one with the same name, one with an empty or overlong name) and those above the catalogue's maximum number.
 */
export async function discoverTools({ client, options }: McpSession): Promise<McpDiscovery> {
  const server = client.getServerVersion();
  const tools = new Map<string, Tool>();
  if (client.getServerCapabilities()?.tools !== undefined) {
    // Follows every cursor, up to the session's limit of pages.
    const listed = await client.listTools(undefined, options);
    for (const tool of listed.tools) {
      if (tools.size < MAX_TOOLS && isName(tool.name) && !tools.has(tool.name)) tools.set(tool.name, tool);
    }
  }
  const slugs = toolSlugs([...tools.keys()]);
  const intake = schemaIntake();
  return {
    serverName: oneLine(server?.title || server?.name || ''),
    serverVersion: oneLine(server?.version ?? ''),
    tools: [...tools].map(([name, tool]) => toolDefinition(tool, slugs.get(name) ?? name, intake)),
  };
}

/**
 * Reads a discovery that a worker returned, which may be compromised: whatever its tools are, they are called at the
 * MCP server. The catalogue checks the rest of them. Throws CallFailure.
 */
export function parseDiscovery({ serverName, serverVersion, tools }: JsonObject): McpDiscovery {
  if (tools === undefined || !isArray(tools) || !tools.every(isMcpTool))
    throw new CallFailure('The list of tools could not be read.');
  return {
    serverName: oneLine(textOf(serverName ?? '')),
    serverVersion: oneLine(textOf(serverVersion ?? '')),
    // As described above.
    tools: tools as unknown as readonly ToolDefinition[],
  };
}

function isMcpTool(tool: Json): boolean {
  const execution = isObject(tool) ? tool['execution'] : undefined;
  return isObject(execution) && execution['type'] === 'mcp';
}

function isName(name: string): boolean {
  return name !== '' && name.length <= MAX_MCP_TOOL_NAME_LENGTH && name.isWellFormed();
}

/** A server's own text as one line, cut to the length of a name. */
function oneLine(text: string): string {
  return cutText(text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim(), MAX_CONNECTOR_NAME_LENGTH);
}
