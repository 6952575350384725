import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { startDeadline } from '../deadline.ts';
import type { Handler, HandlerCall } from '../handler.ts';
import { isObject, textOf } from '../templates.ts';
import { callMcpTool } from './call-tool.ts';
import { discoverTools } from './discover-tools.ts';
import { withMcpSession } from './session.ts';
import type { McpSession } from './session.ts';

/**
 * What is done with an MCP server of an account's choice, each in a session of its own. Only workers load this module,
 * because it loads the MCP SDK. The runtime finds these handlers under the connector `mcp`.
 */
export const mcpHandlers: Readonly<Record<string, Handler>> = {
  /** `fields`: `toolName` at the server, `inputSchema` of the catalogue and `arguments`. */
  callTool: (call) => {
    const { toolName = '', inputSchema, arguments: values } = call.fields;
    return inSession(call, (session) =>
      callMcpTool(session, textOf(toolName), objectOf(inputSchema), objectOf(values)),
    );
  },
  /** Returns an McpDiscovery; `parseDiscovery` reads it. */
  discoverTools: (call) =>
    // Tools are JSON, as the catalogue stores them.
    inSession(call, discoverTools) as unknown as Promise<JsonObject>,
  /** A successful handshake proves the credential. */
  openSession: (call) => inSession(call, async () => ({})),
};

function inSession<T>(call: HandlerCall, use: (session: McpSession) => Promise<T>): Promise<T> {
  return withMcpSession(
    call,
    { egress: call.egress, accountId: call.accountId, deadline: startDeadline(call) },
    use,
  );
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
