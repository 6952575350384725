import { ProtocolError } from '@modelcontextprotocol/client';
import type { Json, JsonObject, ToolDefinition } from '@fairlead/connector-model/model';
import { cutText } from '../cut-text.ts';
import { CallFailure, MAX_QUOTED_LENGTH } from '../failure.ts';
import { isObject } from '../templates.ts';
import type { McpSession } from './session.ts';

/**
 * Calls one tool of the server and returns its structured content if it sends any, else `{content: […]}`. Throws
 * CallFailure with the server's own text for a result that is an error. `inputSchema` is the catalogue's: the SDK takes
 * headers from it. With the server's own definition it would run that one's output schema, without any limit.
 */
export async function callMcpTool(
  session: McpSession,
  toolName: string,
  inputSchema: ToolDefinition['inputSchema'],
  fields: JsonObject,
): Promise<JsonObject> {
  const result = await session.client
    .callTool(
      { name: toolName, arguments: { ...fields } },
      {
        ...session.options,
        toolDefinition: { name: toolName, inputSchema: { ...inputSchema, type: 'object' } },
      },
    )
    .catch((error: unknown) => {
      if (!(error instanceof ProtocolError && saysUnknown(error.message, toolName))) throw error;
      throw new CallFailure(`The MCP server returned an error: ${error.message}`, { isToolUnknown: true });
    });
  // The SDK parsed both from JSON.
  const content = result.content as readonly Json[];
  const structured = result.structuredContent as Json | undefined;
  if (result.isError === true) {
    const text = errorText(content);
    throw new CallFailure(text, { isToolUnknown: saysUnknown(text, toolName) });
  }
  return isObject(structured) ? structured : { content };
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

function errorText(content: readonly Json[]): string {
  const texts = content.flatMap((block) =>
    isObject(block) && typeof block['text'] === 'string' ? [block['text']] : [],
  );
  return cutText(texts.join('\n'), MAX_QUOTED_LENGTH) || 'The tool reported an error without a message.';
}
