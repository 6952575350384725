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
  const result = await session.client.callTool(
    { name: toolName, arguments: { ...fields } },
    {
      ...session.options,
      toolDefinition: { name: toolName, inputSchema: { ...inputSchema, type: 'object' } },
    },
  );
  // The SDK parsed both from JSON.
  const content = result.content as readonly Json[];
  const structured = result.structuredContent as Json | undefined;
  if (result.isError === true) throw new CallFailure(errorText(content));
  return isObject(structured) ? structured : { content };
}

function errorText(content: readonly Json[]): string {
  const texts = content.flatMap((block) =>
    isObject(block) && typeof block['text'] === 'string' ? [block['text']] : [],
  );
  return cutText(texts.join('\n'), MAX_QUOTED_LENGTH) || 'The tool reported an error without a message.';
}
