import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { BrowsingTools } from '../domain/browsing-tools.ts';
import type { ToolPages } from '../domain/list-page.ts';
import type { McpServer } from '../domain/mcp-server.ts';
import type { ServerTools } from '../domain/server-tool.ts';
import type { Upstream } from '../domain/upstream-lists.ts';

/** A server as clients use it. */
export interface ActiveServer {
  readonly server: McpServer;
  /** The toolset with which every call runs; undefined: none. */
  readonly toolsetId: string | undefined;
  readonly tools: ServerTools;
  /** The browsing tools that are listed instead; undefined: none. */
  readonly browsing: BrowsingTools | undefined;
  readonly pages: ToolPages;
  /** The MCP servers whose prompts and resources it offers, in the order of its entries. */
  readonly upstreams: readonly Upstream[];
  /** The MCP servers behind all of its entries; their changes may change its lists. */
  readonly sources: readonly Upstream[];
}

/** Names a server of an account, and the toolset to which the caller is restricted; undefined: none. */
export interface ServerOf {
  readonly accountId: string;
  readonly serverId: string;
  readonly confinedTo: string | undefined;
}

/** The active servers; changes take effect within two seconds. */
export interface ActiveServers {
  /** Undefined: the server does not exist or is inactive. */
  find(ctx: RequestContext, of: ServerOf): Promise<ActiveServer | undefined>;
}
