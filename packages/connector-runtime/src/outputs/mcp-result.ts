import type { JsonObject } from '@fairlead/connector-model/model';
import { isObject } from '../templates.ts';

/** Whether a result of an MCP server demands input, so that the tool has no output yet (MCP 2026-07-28). */
export function demandsInput({ resultType }: JsonObject): boolean {
  return resultType === 'input_required';
}

/** The output of a tool whose MCP server sent this result: its structured content, else its content; the result itself if it demands input. */
export function outputOfMcpResult(result: JsonObject): JsonObject {
  if (demandsInput(result)) return result;
  const { structuredContent, content = [] } = result;
  return isObject(structuredContent) ? structuredContent : { content };
}

/** The result with another output in the place of its own. */
export function withOutput(result: JsonObject, output: JsonObject): JsonObject {
  if (demandsInput(result)) return output;
  return isObject(result['structuredContent'])
    ? { ...result, structuredContent: output }
    : { ...result, ...output };
}
