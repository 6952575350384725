import { notFound, validationError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ServerChange, ServerConnection, ServerEntry } from '../../domain/mcp-server.ts';
import type { Catalog, ToolName } from '../../ports/catalog.ts';
import type { Connections } from '../../ports/connections.ts';
import type { Tools } from '../../ports/tools.ts';

export interface CheckReferencesDeps {
  readonly catalog: Catalog;
  readonly connections: Connections;
  readonly tools: Tools;
}

/**
 * Checks the entries (default: none); adds each connection's application, and binds tool slugs to the tools that they mean now. NOT_FOUND
 * for a connection, tool, workflow or toolset that does not exist: with a typing error something else than intended would be served.
 * VALIDATION_ERROR for identity `user` where users cannot have their own connections.
 */
export async function checkReferences(
  deps: CheckReferencesDeps,
  ctx: RequestContext,
  { connections: entries = [], workflowTokens = [], settings }: ServerChange<ServerEntry>,
): Promise<readonly ServerConnection[]> {
  const toolsetId = settings?.toolsetId ?? null;
  const [connections] = await Promise.all([
    boundEntries(deps, ctx, entries),
    requireWorkflows(deps, ctx, workflowTokens),
    toolsetId === null ? undefined : deps.tools.requireToolset(ctx, toolsetId),
  ]);
  return connections;
}

async function requireWorkflows(
  { tools }: CheckReferencesDeps,
  ctx: RequestContext,
  workflowTokens: readonly string[],
): Promise<void> {
  if (workflowTokens.length === 0) return;
  const found = await tools.findWorkflows(ctx, workflowTokens);
  if (found.length < workflowTokens.length) throw notFound('workflow');
}

async function boundEntries(
  deps: CheckReferencesDeps,
  ctx: RequestContext,
  entries: readonly ServerEntry[],
): Promise<readonly ServerConnection[]> {
  if (entries.length === 0) return [];
  const ids = entries.map(({ connectionId }) => connectionId);
  const found = await deps.connections.findConnections(ctx, ids);
  const connections = new Map(found.map((connection) => [connection.id, connection]));
  const connected = entries.map((entry, index) => {
    const connection = connections.get(entry.connectionId);
    if (connection === undefined) throw notFound('connection');
    const { applicationSlug, isForUsers } = connection;
    if (entry.identity === 'user' && !isForUsers) throw notForUsers(index);
    return { ...entry, applicationSlug };
  });
  return await withIdentities(deps, ctx, connected);
}

/** The entries with the identities of their tools; several slugs, such as aliases, may mean the same tool. */
async function withIdentities(
  { catalog }: CheckReferencesDeps,
  ctx: RequestContext,
  entries: readonly ServerConnection[],
): Promise<readonly ServerConnection[]> {
  const names = entries.flatMap(({ applicationSlug, tools }) =>
    (tools ?? []).map(({ toolSlug }) => ({ applicationSlug, toolSlug })),
  );
  if (names.length === 0) return entries;
  const identities = new Map<string, string | undefined>();
  for (const {
    applicationSlug,
    toolSlug,
    aliases,
    identities: [own],
  } of await catalog.findTools(ctx, names))
    for (const slug of [toolSlug, ...aliases])
      identities.set(keyOf({ applicationSlug, toolSlug: slug }), own);
  const unknown = names.find((name) => !identities.has(keyOf(name)));
  if (unknown !== undefined) await catalog.refuseUnknown(ctx, unknown);
  return entries.map((entry) => ({
    ...entry,
    tools:
      entry.tools &&
      entry.tools.map(({ toolSlug }) => {
        const identity = identities.get(keyOf({ applicationSlug: entry.applicationSlug, toolSlug }));
        return { toolSlug, ...(identity !== undefined && { identity }) };
      }),
  }));
}

function notForUsers(index: number): Error {
  return validationError({
    field: `connections[${index}].identity`,
    issue:
      'must be shared: users cannot have a connection of their own to an MCP server or an on-prem application',
  });
}

function keyOf({ applicationSlug, toolSlug }: ToolName): string {
  return JSON.stringify([applicationSlug, toolSlug]);
}
