import type { JsonObject } from '@fairlead/connector-model/json';
import { isObject } from '../templates.ts';

/** Whether an MCP server's result asks for input, so the tool has no output yet (MCP 2026-07-28). */
export function demandsInput({ resultType }: JsonObject): boolean {
  return resultType === 'input_required';
}

/** The output in an MCP server's result: its structured content, else its content; the result itself if it asks for input. */
export function outputOfMcpResult(result: JsonObject): JsonObject {
  if (demandsInput(result)) return result;
  const { structuredContent, content = [] } = result;
  return isObject(structuredContent) ? structuredContent : { content };
}

/** The result with its output replaced. */
export function withOutput(result: JsonObject, output: JsonObject): JsonObject {
  if (demandsInput(result)) return output;
  return isObject(result['structuredContent'])
    ? { ...result, structuredContent: output }
    : { ...result, ...output };
}
