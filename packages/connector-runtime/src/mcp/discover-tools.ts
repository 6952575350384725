import {
  MAX_CONNECTOR_NAME_LENGTH,
  MAX_MCP_TOOL_NAME_LENGTH,
  MAX_TOOLS,
} from '@fairlead/connector-model/limits';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { ToolDefinition } from '@fairlead/connector-model/model';
import { isJson } from '@fairlead/service-kit/json/is-json';
import type { Tool } from '@modelcontextprotocol/client';
import { cutText } from '../cut-text.ts';
import { CallFailure } from '../failure.ts';
import { UnbuiltOutput } from '../outputs/unbuilt-output.ts';
import { isObject, textOf } from '../templates.ts';
import type { McpSession } from './session.ts';
import { toolDefinition, toolIntake } from './tool-definition.ts';
import { toolSlugs } from './tool-slug.ts';

/** The names that an MCP server states for itself. */
interface McpServer {
  /** The server's name; empty if not stated. */
  readonly serverName: string;
  readonly serverVersion: string;
}

/** An MCP server and its tools, as the catalogue stores them. */
export interface McpDiscovery extends McpServer {
  /** The list of ToolDefinition as JSON in UTF-8. It stays unparsed, because parsing a thousand tools takes long. */
  readonly toolsJson: Uint8Array;
}

/** The reason why a server's tools could not be read; `message` is for people and holds no secret. */
export class McpDiscoveryError extends CallFailure {
  override readonly name = 'McpDiscoveryError';
}

/**
 * Reads a server's tools, up to the catalogue's limits. Omits tools that cannot be called (a repeated, empty or
 * overlong name) and tools above the maximum number.
 */
export async function discoverTools({
  client,
  options,
}: McpSession): Promise<McpServer & { readonly tools: readonly ToolDefinition[] }> {
  const server = client.getServerVersion();
  const tools = new Map<string, Tool>();
  if (client.getServerCapabilities()?.tools !== undefined) {
    // Follows every cursor, up to the session's limit of pages.
    const page = await client.listTools(undefined, options);
    for (const tool of page.tools) {
      if (tools.size < MAX_TOOLS && isName(tool.name) && !tools.has(tool.name)) tools.set(tool.name, tool);
    }
  }
  const runsTasks = client.getServerCapabilities()?.tasks?.requests?.tools?.call !== undefined;
  const slugs = toolSlugs([...tools.keys()]);
  const intake = toolIntake();
  return {
    serverName: oneLine(server?.title || server?.name || ''),
    serverVersion: oneLine(server?.version ?? ''),
    tools: [...tools].map(([name, tool]) => toolDefinition(tool, slugs.get(name) ?? name, intake, runsTasks)),
  };
}

/**
 * The JSON of a discovery between the name and the tools. It cannot occur within a JSON string, where its quotes
 * would be escaped.
 */
const BEFORE_TOOLS = ',"tools":';
const OPEN_ARRAY = 0x5b;

/**
 * Reads a discovery from a worker, which may be compromised: checks only that the tools are one JSON array. The
 * catalogue checks the tools themselves, and any tool can only be called at this MCP server. Throws CallFailure.
 */
export function parseDiscovery(output: JsonObject | UnbuiltOutput): McpDiscovery {
  const bytes = output instanceof UnbuiltOutput ? output.bytes : Buffer.from(JSON.stringify(output));
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const namesEnd = json.indexOf(BEFORE_TOOLS);
  const toolsJson = json.subarray(namesEnd + BEFORE_TOOLS.length, -1);
  const names = namesEnd < 0 ? undefined : parseObject(`${json.toString('utf8', 0, namesEnd)}}`);
  if (names === undefined || toolsJson[0] !== OPEN_ARRAY || !isJson(toolsJson))
    throw new CallFailure('The list of tools could not be read.');
  const { serverName, serverVersion } = names;
  return {
    serverName: oneLine(textOf(serverName ?? '')),
    serverVersion: oneLine(textOf(serverVersion ?? '')),
    toolsJson,
  };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json; // JSON.parse returns JSON
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isName(name: string): boolean {
  return name !== '' && name.length <= MAX_MCP_TOOL_NAME_LENGTH && name.isWellFormed();
}

/** A server's text on one line, cut to the maximum length of a name. */
function oneLine(text: string): string {
  return cutText(text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim(), MAX_CONNECTOR_NAME_LENGTH);
}
