import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { BrowsingTools } from '../domain/browsing-tools.ts';
import type { ToolPages } from '../domain/list-page.ts';
import type { McpServer } from '../domain/mcp-server.ts';
import type { ServedTools } from '../domain/served-tool.ts';
import type { Upstream } from '../domain/upstream-lists.ts';

/** A server as clients use it. */
export interface ServedServer {
  readonly server: McpServer;
  /** The toolset that every call runs with; undefined: none. */
  readonly toolsetId: string | undefined;
  readonly tools: ServedTools;
  /** The tools that are listed in place of these; undefined: none. */
  readonly browsing: BrowsingTools | undefined;
  readonly pages: ToolPages;
  /** The MCP servers whose prompts and resources pass through it, in the order of its entries. */
  readonly upstreams: readonly Upstream[];
  /** The MCP servers behind all of its entries: a change of one may change its lists. */
  readonly sources: readonly Upstream[];
}

/** Names a server of an account, and the toolset that the caller is confined to; undefined: none. */
export interface ServerOf {
  readonly accountId: string;
  readonly serverId: string;
  readonly confinedTo: string | undefined;
}

/** The servers that are in use; changes hold within two seconds. */
export interface ServedServers {
  /** Undefined: there is no such server, or it is not active. */
  find(ctx: RequestContext, of: ServerOf): Promise<ServedServer | undefined>;
}
