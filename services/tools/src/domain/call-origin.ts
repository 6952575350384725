/** The interface through which a call arrived; `workflow`: it is a step of a run. */
export type ExecutionSource = 'rest' | 'mcp' | 'workflow';

export interface CallOrigin {
  readonly source: ExecutionSource;
  /** Name of the MCP server that the call or its run came through, at that time; null: none. */
  readonly mcpServerName: string | null;
}

export const FROM_REST: CallOrigin = { source: 'rest', mcpServerName: null };

/** The origin of a call through the MCP server with that name; undefined: not through one. */
export function originOf(mcpServerName: string | undefined): CallOrigin {
  return mcpServerName === undefined ? FROM_REST : { source: 'mcp', mcpServerName };
}

/** The origin of the steps of a run with this origin. */
export function originOfSteps({ mcpServerName }: CallOrigin): CallOrigin {
  return { source: 'workflow', mcpServerName };
}
