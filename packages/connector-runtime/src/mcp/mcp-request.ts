import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';

/** The requests besides tool calls that are passed to an MCP server unchanged. */
export const PASSTHROUGH_METHODS = ['prompts/get', 'resources/read', 'completion/complete'] as const;
export type PassthroughMethod = (typeof PASSTHROUGH_METHODS)[number];

/** A request to an MCP server other than a tool call. The comments describe its output. */
export type McpRequest =
  /**
   * `{prompts, resources, resourceTemplates}`: the server's lists, and `hasPrompts`, `hasResources`, `hasCompletions`
   * and `hasSubscriptions`.
   */
  | { readonly type: 'lists' }
  /** `{result}`, or `{error}` with the server's JSON-RPC error. */
  | { readonly type: 'method'; readonly method: PassthroughMethod; readonly params: LazyJson };

/** A request that is represented as a tool, so that tool-call limits, execution and errors apply to it. */
export interface McpRequestTool {
  readonly toolSlug: string;
  readonly retryClass: 'readOnly';
  readonly mcpRequest: McpRequest;
}

/** The tool that represents a request. */
export function mcpRequestTool(mcpRequest: McpRequest): McpRequestTool {
  return { toolSlug: 'mcp', retryClass: 'readOnly', mcpRequest };
}
