import type { Clock } from '@fairlead/service-kit/clock';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { compareDefinitions, slugKey } from '../../domain/changed-tools.ts';
import type { McpServer } from '../../domain/mcp-server.ts';
import type { SourceTool } from '../../domain/server-tool.ts';
import type { DefinedTool, ToolDefinitions } from '../../domain/tool-definition.ts';
import type { ServedDefinitions, ServerName, StoredDefinition } from '../../ports/served-definitions.ts';
import type { ServerStore } from '../../ports/server-store.ts';
import type { Candidate } from '../endpoint/list-candidates.ts';

export interface HoldChangedToolsDeps {
  readonly servers: Pick<ServerStore, 'findById'>;
  readonly toolDefinitions: ServedDefinitions;
  readonly definitions: ToolDefinitions;
  readonly clock: Clock;
}

/**
 * Maximum number of stored definitions per server; beyond it, definitions of missing tools are removed. A missing tool that comes back is
 * compared with its definition, if that is still stored.
 */
const MAX_DEFINITIONS = 5_000;

/**
 * Finds the tools that have changed since the server first served them; none unless it holds changed tools. Stores definitions of new
 * tools.
 */
export async function holdChangedTools(
  deps: HoldChangedToolsDeps,
  ctx: RequestContext,
  server: McpServer,
  candidates: readonly Candidate[],
): Promise<(tool: Pick<SourceTool, 'applicationSlug' | 'toolSlug'>) => boolean> {
  if (!server.settings.holdChangedTools) return () => false;
  const { toolDefinitions, clock } = deps;
  const of = { accountId: actingAccountOf(ctx), serverId: server.id };
  const now = clock.now();
  const stored = await toolDefinitions.list(ctx, of);
  const tools = deps.definitions.of(candidates.map(({ tool }) => tool));
  const comparison = compareDefinitions(stored, tools, now);
  await toolDefinitions.save(ctx, of, comparison, now);
  const isFull = stored.length + comparison.added.length > MAX_DEFINITIONS;
  const gone = goneDefinitions(stored, server, isFull ? tools : undefined);
  if (gone.length > 0) await toolDefinitions.remove(ctx, of, gone);
  if (comparison.added.length > 0) await removeUnlessHeld(deps, ctx, of);
  const keys = new Set(comparison.held.map(slugKey));
  return (tool) => keys.has(slugKey(tool));
}

/** Ids of definitions to remove: of applications that the server no longer serves and, with `tools`, of all other tools. */
function goneDefinitions(
  stored: readonly StoredDefinition[],
  { connections }: McpServer,
  tools: readonly DefinedTool[] | undefined,
): readonly string[] {
  const applications = new Set(connections.map(({ applicationSlug }) => applicationSlug));
  const slugs = tools && new Set(tools.map(slugKey));
  return stored
    .filter((it) => !applications.has(it.applicationSlug) || slugs?.has(slugKey(it)) === false)
    .map(({ id }) => id);
}

/**
 * Deleting a server, or turning holding off, removes its definitions afterwards; this function writes definitions and then checks the
 * server. So one of the two always sees the other.
 */
async function removeUnlessHeld(
  { servers, toolDefinitions }: HoldChangedToolsDeps,
  ctx: RequestContext,
  of: ServerName,
): Promise<void> {
  const server = await servers.findById(ctx, of.accountId, of.serverId);
  if (server?.settings.holdChangedTools !== true) await toolDefinitions.remove(ctx, of);
}
