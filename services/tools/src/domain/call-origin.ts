/** The way on which a call came in; `workflow`: it is a step of a run. */
export type ExecutionSource = 'rest' | 'mcp' | 'workflow';

/** Where a call comes from. */
export interface CallOrigin {
  readonly source: ExecutionSource;
  /** The MCP server that it, or its run, came through, by its name at that time; null: none. */
  readonly mcpServerName: string | null;
}

/** The origin of calls that come over REST. */
export const FROM_REST: CallOrigin = { source: 'rest', mcpServerName: null };

/** The origin of a call that came through the MCP server with that name; undefined: through none. */
export function originOf(mcpServerName: string | undefined): CallOrigin {
  return mcpServerName === undefined ? FROM_REST : { source: 'mcp', mcpServerName };
}

/** The origin of the steps of a run with that origin. */
export function originOfSteps({ mcpServerName }: CallOrigin): CallOrigin {
  return { source: 'workflow', mcpServerName };
}
