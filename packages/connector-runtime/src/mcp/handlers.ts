import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { parsedMembers } from '../handler.ts';
import type { Handler } from '../handler.ts';
import { isObject, textOf } from '../templates.ts';
import { callMcpTool } from './call-tool.ts';
import { discoverTools } from './discover-tools.ts';
import { readServerLists, sendServerRequest } from './server-request.ts';
import { withMcpSession } from './session.ts';

/**
 * The handlers for MCP servers that accounts choose. Their sessions stay open between calls. Only workers load this
 * module, because it loads the MCP SDK. The runtime finds the handlers under the connector `mcp`.
 */
export const mcpHandlers: Readonly<Record<string, Handler>> = {
  /**
   * `fields`: `toolName` at the server; `inputSchema` of the catalogue; `arguments`; whether the server runs the tool
   * only as a task; whether the output is the server's whole result.
   */
  callTool: (call) => {
    const {
      toolName = '',
      inputSchema,
      arguments: values,
      isTask,
      takesMcpResult,
    } = parsedMembers(call.fields);
    const callWithClient = {
      toolName: textOf(toolName),
      inputSchema: objectOf(inputSchema),
      fields: objectOf(values),
      isTask: isTask === true,
      takesMcpResult: takesMcpResult === true,
      client: call.client,
    };
    return withMcpSession(call, (session) => callMcpTool(session, callWithClient));
  },
  /** `parseDiscovery` reads this output. */
  discoverTools: (call) =>
    // The tools are JSON, in the catalogue's format.
    withMcpSession(call, discoverTools) as unknown as Promise<JsonObject>,
  /** Returns the lists of prompts and resources (McpRequest). */
  readLists: (call) => withMcpSession(call, readServerLists),
  /** `fields`: `method`, one of PASSTHROUGH_METHODS, and its `params`. */
  callMethod: (call) => {
    const { method = '', params } = parsedMembers(call.fields);
    const request = { method: textOf(method), params: objectOf(params), client: call.client };
    return withMcpSession(call, (session) => sendServerRequest(session, request));
  },
  /** A successful handshake proves the credential. */
  openSession: (call) => withMcpSession(call, async () => ({})),
};

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
