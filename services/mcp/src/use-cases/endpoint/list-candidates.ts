import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { McpServer, PermittedTool } from '../../domain/mcp-server.ts';
import { MAX_SERVED_TOOLS } from '../../domain/server-tool.ts';
import type { CallTarget, SourceTool } from '../../domain/server-tool.ts';
import type { Connections } from '../../ports/connections.ts';
import type { CataloguedTool, ToolLists } from '../../ports/tool-lists.ts';

export interface ListCandidatesDeps {
  readonly connections: Connections;
  readonly toolLists: Pick<ToolLists, 'ofApplications' | 'chosen' | 'workflows'>;
}

/** A tool of a server, not named yet. */
export interface Candidate extends Pick<SourceTool, 'applicationSlug' | 'toolSlug' | 'upstreamName'> {
  readonly connectionId: number | undefined;
  readonly tool: SourceTool;
  readonly target: CallTarget;
}

/**
 * The tools of a server whose connections, tools and workflows exist, whatever its toolset permits: its workflows, then the tools of its
 * entries in order, at most MAX_SERVED_TOOLS in total.
 */
export async function listCandidates(
  { connections, toolLists }: ListCandidatesDeps,
  ctx: RequestContext,
  { connections: entries, workflowTokens }: McpServer,
): Promise<readonly Candidate[]> {
  const whole = new Set(
    entries.filter(({ tools }) => tools === null).map(({ applicationSlug }) => applicationSlug),
  );
  const chosen = entries.flatMap(({ applicationSlug, tools }) =>
    (tools ?? []).map(({ toolSlug, identity }) => ({ applicationSlug, toolSlug, identity })),
  );
  const ids = entries.map(({ connectionId }) => connectionId);
  const [found, ofWhole, ofChosen, workflows] = await Promise.all([
    ids.length === 0 ? [] : connections.findConnections(ctx, ids),
    toolLists.ofApplications(ctx, [...whole]),
    toolLists.chosen(ctx, chosen),
    toolLists.workflows(ctx, workflowTokens),
  ]);
  const existing = new Set(found.map(({ id }) => id));
  const flows = workflows.map(({ workflowToken, tool }) => workflowCandidate(workflowToken, tool));
  const connected: Candidate[] = [];
  for (const { connectionId, applicationSlug, tools, identity } of entries) {
    if (!existing.has(connectionId)) continue;
    for (const tool of tools === null ? ofWhole : ofChosen) {
      if (connected.length + flows.length >= MAX_SERVED_TOOLS) return [...flows, ...connected];
      if (tool.applicationSlug !== applicationSlug || !isPermitted(tools, tool)) continue;
      const { toolSlug, upstreamName } = tool;
      const own = identity === 'shared' ? connectionId : undefined;
      const target = { kind: 'tool', applicationSlug, toolSlug, connectionId: own } as const;
      connected.push({ applicationSlug, toolSlug, upstreamName, connectionId, tool, target });
    }
  }
  return [...flows, ...connected];
}

function workflowCandidate(workflowToken: string, tool: SourceTool): Candidate {
  const { applicationSlug, toolSlug, upstreamName } = tool;
  const target = { kind: 'workflow', workflowToken } as const;
  return { applicationSlug, toolSlug, upstreamName, connectionId: undefined, tool, target };
}

function isPermitted(
  tools: readonly PermittedTool[] | null,
  { toolSlug, aliases, identities }: CataloguedTool,
): boolean {
  if (tools === null) return true;
  return tools.some(({ toolSlug: slug, identity }) =>
    identity === undefined ? toolSlug === slug || aliases.includes(slug) : identities.includes(identity),
  );
}
