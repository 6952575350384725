/** The facts about an MCP server that decide whether it admits a client. */
export interface McpServerAccess {
  readonly accountId: string;
  readonly isActive: boolean;
  readonly isAnonymousAllowed: boolean;
}

/** The lookup of MCP servers. Rejects with UNAVAILABLE while the mcp service does not answer. */
export interface McpServerLookup {
  /** The server with that id, active or not; undefined if there is none. */
  find(serverId: string): Promise<McpServerAccess | undefined>;
}
