import { isInputRequiredResult, ProtocolError } from '@modelcontextprotocol/client';
import type { CallToolRequestParams } from '@modelcontextprotocol/client';
import type { Json, JsonObject, ToolDefinition } from '@fairlead/connector-model/model';
import { cutText } from '../cut-text.ts';
import { CallFailure, MAX_QUOTED_LENGTH } from '../failure.ts';
import { outputOfMcpResult } from '../outputs/mcp-result.ts';
import { isArray, isObject } from '../templates.ts';
import type { ClientDescription } from './calling-client.ts';
import { withoutRelatedTask } from './conversation.ts';
import { clientParams, withoutEra } from './server-request.ts';
import { runTask } from './session-task.ts';
import { followTask, isTask } from './upstream-task.ts';
import type { McpSession } from './session.ts';

/**
 * Errors that only the client can do something about: it lacks a capability (MCP 2026-07-28), or its user has to visit an address first
 * (MCP 2025-11-25, "URL Elicitation Required").
 */
const CLIENT_ERRORS: ReadonlySet<number> = new Set([-32_021, -32_042]);
const INVALID_PARAMS = -32_602;

/** One call of a tool. */
interface McpToolCall {
  /** The name at the server. */
  readonly toolName: string;
  /**
   * The catalogue's: the SDK takes headers from it. With the server's own definition it would run that one's output schema, without any
   * limit.
   */
  readonly inputSchema: ToolDefinition['inputSchema'];
  readonly fields: JsonObject;
  /** Whether the server runs the tool only as a task. */
  readonly isTask: boolean;
  /** Whether the output is the server's result as it is. */
  readonly takesMcpResult: boolean;
  readonly client: ClientDescription | undefined;
}

/**
 * Calls one tool of the server and returns its structured content if it sends any, else `{content: […]}`; or its whole result, which may
 * also demand input. Throws CallFailure with the server's own text for a result that is an error.
 */
export async function callMcpTool(session: McpSession, call: McpToolCall): Promise<JsonObject> {
  const { toolName, takesMcpResult, client } = call;
  const contentOf = takesMcpResult ? session.setAsideContent() : undefined;
  const received: unknown = await resultOf(session, call).catch((error: unknown) => {
    if (!(error instanceof ProtocolError)) throw error;
    const { code, message, data } = error;
    // A model cannot repair a state that the server refuses; the client drops it.
    const isRefusedState = code === INVALID_PARAMS && client?.requestState !== undefined;
    const isForClient = CLIENT_ERRORS.has(code) || isRefusedState;
    // The SDK parsed the data from JSON.
    const shown = { code, message, ...(data !== undefined && { data: data as Json }) };
    throw new CallFailure(`The MCP server returned an error: ${message}`, {
      isToolUnknown: saysUnknown(message, toolName),
      mcpError: takesMcpResult && isForClient ? shown : undefined,
      cause: error,
    });
  });
  // The SDK parsed it from JSON.
  const parsed = received as JsonObject;
  if (isInputRequiredResult(received)) return parsed;
  const aside = contentOf?.();
  const sent = isTask(aside) ? await followTask(session, aside) : (aside ?? parsed);
  const result = withoutRelatedTask(withoutEra(sent));
  if (result['isError'] === true) {
    const text = errorText(result['content'] ?? []);
    const mcpResult = takesMcpResult ? result : undefined;
    throw new CallFailure(text, { isToolUnknown: saysUnknown(text, toolName), mcpResult });
  }
  return takesMcpResult ? result : outputOfMcpResult(result);
}

async function resultOf(session: McpSession, call: McpToolCall): Promise<object> {
  const { toolName, inputSchema, takesMcpResult, client } = call;
  const params = paramsOf(session, call);
  // Without a handshake the server decides which calls are tasks.
  if (call.isTask && session.client.getProtocolEra() === 'legacy') return await runTask(session, params);
  return await session.client.callTool(params, {
    ...session.options,
    toolDefinition: { name: toolName, inputSchema: { ...inputSchema, type: 'object' } },
    ...(client?.takesInputRequired && takesMcpResult && { allowInputRequired: true }),
  });
}

/** The parameters of the request, with what the server is told of the client. */
function paramsOf(session: McpSession, { toolName, fields, client }: McpToolCall): CallToolRequestParams {
  return { name: toolName, arguments: { ...fields }, ...clientParams(session, client) };
}

/**
 * Whether a server says that it does not have the tool. There is no code for that: -32602 stands for wrong arguments, too, and some
 * servers answer with a result that is an error. A wrong guess reads the tools once more.
 */
function saysUnknown(text: string, toolName: string): boolean {
  return (
    /\b(?:unknown|no such|not found|does(?: not|n't) exist|not available|disabled)\b/i.test(text) &&
    (text.includes(toolName) || /\btool\b/i.test(text))
  );
}

function errorText(content: Json): string {
  const texts = (isArray(content) ? content : []).flatMap((block) =>
    isObject(block) && typeof block['text'] === 'string' ? [block['text']] : [],
  );
  return cutText(texts.join('\n'), MAX_QUOTED_LENGTH) || 'The tool reported an error without a message.';
}
