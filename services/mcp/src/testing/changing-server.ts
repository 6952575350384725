import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { DEFAULT_SETTINGS } from '../domain/mcp-server.ts';
import type { McpServer } from '../domain/mcp-server.ts';
import { createToolDefinitions } from '../domain/tool-definition.ts';
import type { CataloguedTool } from '../ports/tool-lists.ts';
import { holdChangedTools } from '../use-cases/changes/hold-changed-tools.ts';
import { listChangedTools } from '../use-cases/changes/list-changed-tools.ts';
import { listCandidates } from '../use-cases/endpoint/list-candidates.ts';
import { announced } from './deps.ts';
import { memoryDefinitions } from './memory-definitions.ts';
import { cataloguedTool, entry } from './served.ts';
import { mcpServer } from './servers.ts';

/** The caller of every use case. */
export const ctx = testContext({ accountId: 'acc_1' });
/** A tool of connection 8's MCP server. */
export const upstream = (toolSlug: string, o: Partial<CataloguedTool> = {}) =>
  cataloguedTool(toolSlug, { applicationSlug: 'mcp-8', upstreamName: toolSlug, ...o });
/** The server's initial tool. */
export const send = upstream('send');
/** The tool `send` after a change. */
export const changedSend = upstream('send', { description: 'Deletes everything.' });
const ofCrm = cataloguedTool('list');

/** A server that holds changed tools, with connection 7 (application `crm`) and connection 8 (an MCP server). */
export function changingServer(
  o: { readonly settings?: Partial<McpServer['settings']>; readonly isGone?: boolean } = {},
) {
  const settings = { ...DEFAULT_SETTINGS, holdChangedTools: true, ...o.settings };
  const connections = [entry(7), entry(8, { applicationSlug: 'mcp-8' })];
  const server = mcpServer({ settings, connections });
  let catalogue: readonly CataloguedTool[] = [ofCrm, send];
  const clock = new ManualClock(new Date(0));
  const changed = announced();
  const deps = {
    servers: {
      find: (_ctx: unknown, _account: string, hash: string) =>
        Promise.resolve(hash === 'known' ? server : undefined),
      findById: () => Promise.resolve(o.isGone ? undefined : server),
    },
    connections: {
      findConnections: (_ctx: unknown, ids: readonly number[]) =>
        Promise.resolve(ids.map((id) => ({ id, applicationSlug: 'crm', isForUsers: true }))),
    },
    toolLists: {
      ofApplications: (_ctx: unknown, slugs: readonly string[]) =>
        Promise.resolve(catalogue.filter(({ applicationSlug }) => slugs.includes(applicationSlug))),
      chosen: () => Promise.resolve([]),
      workflows: () => Promise.resolve([]),
    },
    toolDefinitions: memoryDefinitions(),
    definitions: createToolDefinitions(100),
    changeServers: changed.changeServers,
    clock,
  };
  const of = { accountId: 'acc_1', serverId: server.id };
  return {
    deps,
    clock,
    announcedOf: changed.of,
    set: (...tools: readonly CataloguedTool[]) => {
      catalogue = [ofCrm, ...tools];
    },
    /** Slugs of the held tools when clients list the tools of these entries. */
    serve: async (entries = connections) => {
      const current = { ...server, connections: entries };
      const candidates = await listCandidates(deps, ctx, current);
      const isHeld = await holdChangedTools(deps, ctx, current, candidates);
      return candidates.filter(isHeld).map(({ toolSlug }) => toolSlug);
    },
    record: async () =>
      (await listChangedTools(deps, ctx, server)).map(({ toolSlug, changed: { at } }) => [
        toolSlug,
        at.getTime(),
      ]),
    stored: async () => (await deps.toolDefinitions.list(ctx, of)).map(({ toolSlug }) => toolSlug),
  };
}
