import { isInputRequiredResult, ProtocolError } from '@modelcontextprotocol/client';
import type { CallToolRequestParams } from '@modelcontextprotocol/client';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { ToolDefinition } from '@fairlead/connector-model/model';
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
 * Errors that only the MCP client can resolve: it lacks a capability (MCP 2026-07-28), or its user has to visit a URL
 * first (MCP 2025-11-25, "URL Elicitation Required").
 */
const CLIENT_ERRORS: ReadonlySet<number> = new Set([-32_021, -32_042]);
const INVALID_PARAMS = -32_602;

interface McpToolCall {
  /** The tool's name at the server. */
  readonly toolName: string;
  /**
   * The catalogue's input schema, from which the SDK derives headers. With the server's own definition, the SDK would
   * also run the server's output schema, without any limit.
   */
  readonly inputSchema: ToolDefinition['inputSchema'];
  readonly fields: JsonObject;
  /** Whether the server runs the tool only as a task. */
  readonly isTask: boolean;
  /** Whether the output is the server's whole result. */
  readonly takesMcpResult: boolean;
  readonly client: ClientDescription | undefined;
}

/**
 * Calls a tool and returns its structured content, else `{content: […]}`, or on request the whole result, which may
 * also ask for input. Throws CallFailure with the server's text if the result is an error.
 */
export async function callMcpTool(session: McpSession, call: McpToolCall): Promise<JsonObject> {
  const { toolName, takesMcpResult, client } = call;
  const contentOf = takesMcpResult ? session.setAsideContent() : undefined;
  const received: unknown = await resultOf(session, call).catch((error: unknown) => {
    if (!(error instanceof ProtocolError)) throw error;
    const { code, message, data } = error;
    // If the server refuses the state, a model cannot repair it; so the client drops the state.
    const isRefusedState = code === INVALID_PARAMS && client?.requestState !== undefined;
    const isForClient = CLIENT_ERRORS.has(code) || isRefusedState;
    // The SDK parsed this data from JSON.
    const rpcError = { code, message, ...(data !== undefined && { data: data as Json }) };
    throw new CallFailure(`The MCP server returned an error: ${message}`, {
      isToolUnknown: saysUnknown(message, toolName),
      mcpError: takesMcpResult && isForClient ? rpcError : undefined,
      cause: error,
    });
  });
  // The SDK parsed this result from JSON.
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
  // Without a handshake, the server decides which calls become tasks.
  if (call.isTask && session.client.getProtocolEra() === 'legacy') return await runTask(session, params);
  return await session.client.callTool(params, {
    ...session.options,
    toolDefinition: { name: toolName, inputSchema: { ...inputSchema, type: 'object' } },
    ...(client?.takesInputRequired && takesMcpResult && { allowInputRequired: true }),
  });
}

/** The parameters of the request, including the information about the client. */
function paramsOf(session: McpSession, { toolName, fields, client }: McpToolCall): CallToolRequestParams {
  return { name: toolName, arguments: { ...fields }, ...clientParams(session, client) };
}

/**
 * Whether an error means that the server does not have the tool. No code says so unambiguously: -32602 also means
 * wrong arguments, and some servers send an error result. After a wrong guess, the tools are read once more.
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
