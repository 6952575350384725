import {
  MAX_CONNECTOR_NAME_LENGTH,
  MAX_MCP_TOOL_NAME_LENGTH,
  MAX_TOOLS,
} from '@fairlead/connector-model/limits';
import type { Json, JsonObject, ToolDefinition } from '@fairlead/connector-model/model';
import { isJson } from '@fairlead/service-kit/json/is-json';
import type { Tool } from '@modelcontextprotocol/client';
import { cutText } from '../cut-text.ts';
import { CallFailure } from '../failure.ts';
import { UnbuiltOutput } from '../outputs/unbuilt-output.ts';
import { isObject, textOf } from '../templates.ts';
import type { McpSession } from './session.ts';
import { toolDefinition, toolIntake } from './tool-definition.ts';
import { toolSlugs } from './tool-slug.ts';

/** The names that an MCP server states. */
interface McpServer {
  /** Empty if the server does not state its name. */
  readonly serverName: string;
  readonly serverVersion: string;
}

/** An MCP server and its tools, as the catalogue stores them. */
export interface McpDiscovery extends McpServer {
  /** The list of ToolDefinition as JSON in UTF-8, as JSON.stringify writes it. It was not built: a thousand tools take long. */
  readonly toolsJson: Uint8Array;
}

/** Why a server's tools could not be read; `message` is for people and holds no secret. */
export class McpDiscoveryError extends CallFailure {
  override readonly name = 'McpDiscoveryError';
}

/**
 * Reads a server's tool list, as much of it as the catalogue accepts. Omits tools that could not be called (a second
 * one with the same name, one with an empty or overlong name) and those above the catalogue's maximum number.
 */
export async function discoverTools({
  client,
  options,
}: McpSession): Promise<McpServer & { readonly tools: readonly ToolDefinition[] }> {
  const server = client.getServerVersion();
  const tools = new Map<string, Tool>();
  if (client.getServerCapabilities()?.tools !== undefined) {
    // Follows every cursor, up to the session's limit of pages.
    const listed = await client.listTools(undefined, options);
    for (const tool of listed.tools) {
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

/** The JSON of a discovery between the name and the tools: in a text, these quotes would be escaped. */
const BEFORE_TOOLS = ',"tools":';
const OPEN_ARRAY = 0x5b;

/**
 * Reads a discovery that a worker returned, which may be compromised: the tools are one JSON array. The catalogue checks the
 * rest of them, so that whatever they are, they are called at the MCP server. Throws CallFailure.
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
    const value = JSON.parse(text) as Json; // what JSON.parse returns
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isName(name: string): boolean {
  return name !== '' && name.length <= MAX_MCP_TOOL_NAME_LENGTH && name.isWellFormed();
}

/** A server's own text as one line, cut to the length of a name. */
function oneLine(text: string): string {
  return cutText(text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim(), MAX_CONNECTOR_NAME_LENGTH);
}
