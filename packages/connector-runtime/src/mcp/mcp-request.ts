import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';

/** The requests that pass to an MCP server as they are, besides calls of tools. */
export const PASSED_METHODS = ['prompts/get', 'resources/read', 'completion/complete'] as const;
export type PassedMethod = (typeof PASSED_METHODS)[number];

/** A request to an MCP server that is no call of a tool. The comments state the output. */
export type McpRequest =
  /**
   * `{prompts, resources, resourceTemplates}`: lists as the server sent them, and `hasPrompts`, `hasResources`, `hasCompletions` and
   * `hasSubscriptions`.
   */
  | { readonly type: 'lists' }
  /** `{result}`, or `{error}` with the JSON-RPC error of the server. */
  | { readonly type: 'method'; readonly method: PassedMethod; readonly params: LazyJson };

/** A request in the form of a tool, so that it is made, limited and reported as the calls of tools are. */
export interface McpRequestTool {
  readonly toolSlug: string;
  readonly retryClass: 'readOnly';
  readonly mcpRequest: McpRequest;
}

/** The tool that stands for a request. */
export function mcpRequestTool(mcpRequest: McpRequest): McpRequestTool {
  return { toolSlug: 'mcp', retryClass: 'readOnly', mcpRequest };
}
