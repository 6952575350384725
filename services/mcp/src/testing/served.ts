import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { browsingTools } from '../domain/browsing-tools.ts';
import { toolPages } from '../domain/list-page.ts';
import { DEFAULT_SETTINGS } from '../domain/mcp-server.ts';
import type { McpServer, ServerConnection } from '../domain/mcp-server.ts';
import type { ServerTool } from '../domain/server-tool.ts';
import type { ActiveServer } from '../ports/active-servers.ts';
import type { CataloguedTool } from '../ports/tool-lists.ts';

/** A server with these members overridden; by default one shared connection with all tools. */
export function testServer(o: Partial<McpServer> = {}): McpServer {
  return {
    id: '0b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4',
    name: 'Support',
    description: '',
    isActive: true,
    isAnonymousAllowed: false,
    connections: [entry(7)],
    workflowTokens: [],
    settings: DEFAULT_SETTINGS,
    createdAt: new Date(0),
    updatedAt: new Date(0),
    ...o,
  };
}

/** An entry of a server: a connection of the application `crm`, all tools, shared. */
export function entry(connectionId: number, o: Partial<ServerConnection> = {}): ServerConnection {
  return { connectionId, applicationSlug: 'crm', tools: null, identity: 'shared', ...o };
}

/** A tool of the application `crm`, without list arguments. */
export function cataloguedTool(toolSlug: string, o: Partial<CataloguedTool> = {}): CataloguedTool {
  return {
    applicationSlug: 'crm',
    toolSlug,
    upstreamName: '',
    title: toolSlug,
    description: `About ${toolSlug}.`,
    inputSchema: LazyJson.of({ type: 'object', properties: { id: { type: 'string' } } }),
    outputSchema: LazyJson.of({ type: 'object' }),
    supportsFilters: false,
    supportsSort: false,
    supportsTopOffset: false,
    maxFilters: 0,
    maxSorts: 0,
    effects: undefined,
    aliases: [],
    identities: [`slug ${toolSlug}`],
    ...o,
  };
}

/** A served tool, called with connection 7. */
export function servedTool(name: string, o: Partial<ServerTool> = {}): ServerTool {
  return {
    name,
    target: { kind: 'tool', applicationSlug: 'crm', toolSlug: name, connectionId: 7 },
    isUpstream: false,
    isDestructive: false,
    isHeld: false,
    headerArguments: [],
    schemaProfile: '',
    listed: LazyJson.of({ name }),
    ...o,
  };
}

/** A server with these tools. */
export function servedServer(tools: readonly ServerTool[], server: McpServer = testServer()): ActiveServer {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const browsing = browsingTools(byName, server.settings.contextBudget);
  return {
    server,
    toolsetId: server.settings.toolsetId ?? undefined,
    tools: byName,
    browsing,
    pages: toolPages(browsing?.listed ?? tools),
    upstreams: [],
    sources: [],
  };
}
