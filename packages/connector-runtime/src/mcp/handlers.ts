import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { parsedMembers } from '../handler.ts';
import type { Handler } from '../handler.ts';
import { isObject, textOf } from '../templates.ts';
import { callMcpTool } from './call-tool.ts';
import { discoverTools } from './discover-tools.ts';
import { readServerLists, sendServerRequest } from './server-request.ts';
import { withMcpSession } from './session.ts';

/**
 * The handlers for an MCP server of an account's choice, in sessions that are kept between calls of tools. Only workers load this
 * module, because it loads the MCP SDK. The runtime finds these handlers under the connector `mcp`.
 */
export const mcpHandlers: Readonly<Record<string, Handler>> = {
  /** `fields`: `toolName` at the server, `inputSchema` of the catalogue, `arguments`, whether the server runs it only as a task, and whether the output is the server's result as it is. */
  callTool: (call) => {
    const {
      toolName = '',
      inputSchema,
      arguments: values,
      isTask,
      takesMcpResult,
    } = parsedMembers(call.fields);
    const called = {
      toolName: textOf(toolName),
      inputSchema: objectOf(inputSchema),
      fields: objectOf(values),
      isTask: isTask === true,
      takesMcpResult: takesMcpResult === true,
      client: call.client,
    };
    return withMcpSession(call, (session) => callMcpTool(session, called));
  },
  /** `parseDiscovery` reads what it returns. */
  discoverTools: (call) =>
    // Tools are JSON, as the catalogue stores them.
    withMcpSession(call, discoverTools) as unknown as Promise<JsonObject>,
  /** Lists of prompts and resources (McpRequest). */
  readLists: (call) => withMcpSession(call, readServerLists),
  /** `fields`: `method`, one of PASSED_METHODS, and its `params`. */
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
