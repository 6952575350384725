import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { McpServer, PermittedTool } from '../../domain/mcp-server.ts';
import type { ToolDescriptions } from '../../domain/tool-descriptions.ts';
import type { CallTarget, ServedTool, ServedTools, SourceTool } from '../../domain/served-tool.ts';
import { toolNames } from '../../domain/tool-names.ts';
import type { Connections } from '../../ports/connections.ts';
import type { CataloguedTool, ToolLists, ToolsetTools } from '../../ports/tool-lists.ts';

export interface ListServedToolsDeps {
  readonly connections: Connections;
  readonly toolLists: ToolLists;
  readonly descriptions: ToolDescriptions;
}

/** A tool of a server before it has a name. */
interface Candidate extends Pick<SourceTool, 'applicationSlug' | 'toolSlug' | 'upstreamName'> {
  readonly connectionId: number | undefined;
  readonly tool: SourceTool;
  readonly target: CallTarget;
}

/**
 * The tools of a server by name, as far as connections, tools and workflows exist, and the toolset permits them (undefined: there is none). A
 * toolset changes no name.
 */
export async function listServedTools(
  deps: ListServedToolsDeps,
  ctx: RequestContext,
  server: McpServer,
  toolsetId: string | undefined,
): Promise<ServedTools> {
  const [candidates, toolset] = await Promise.all([
    listCandidates(deps, ctx, server),
    toolsetId === undefined ? undefined : deps.toolLists.ofToolset(ctx, toolsetId),
  ]);
  const permitted =
    toolsetId === undefined
      ? (it: Candidate) => it.tool
      : permittedBy(toolset ?? { connectionIds: [], tools: [] });
  const served: [string, ServedTool][] = [];
  for (const [candidate, name] of toolNames(candidates)) {
    const tool = permitted(candidate);
    if (tool === undefined) continue;
    const described = deps.descriptions.of(name, tool, server.settings.schemas);
    const { target } = candidate;
    served.push([name, { name, target, isUpstream: tool.upstreamName !== '', ...described }]);
  }
  return new Map(served);
}

async function listCandidates(
  { connections, toolLists }: ListServedToolsDeps,
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
  const connected = entries
    .filter(({ connectionId }) => existing.has(connectionId))
    .flatMap(({ connectionId, applicationSlug, tools, identity }) => {
      const all = tools === null ? ofWhole : ofChosen;
      return all
        .filter((tool) => tool.applicationSlug === applicationSlug && isPermitted(tools, tool))
        .map((tool): Candidate => {
          const { toolSlug, upstreamName } = tool;
          const own = identity === 'shared' ? connectionId : undefined;
          const target = { kind: 'tool', applicationSlug, toolSlug, connectionId: own } as const;
          return { applicationSlug, toolSlug, upstreamName, connectionId, tool, target };
        });
    });
  return [
    ...connected,
    ...workflows.map(({ workflowToken, tool }) => workflowCandidate(workflowToken, tool)),
  ];
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

/** Finds the tool as a toolset permits it; undefined if the toolset does not. */
function permittedBy({
  connectionIds,
  tools,
}: ToolsetTools): (candidate: Candidate) => SourceTool | undefined {
  const permitted = new Map(tools.map((tool) => [keyOf(tool), tool]));
  return (candidate) => {
    const { target, tool } = candidate;
    const isOutside =
      target.kind === 'tool' &&
      target.connectionId !== undefined &&
      !connectionIds.includes(target.connectionId);
    const found = isOutside ? undefined : permitted.get(keyOf(candidate));
    return found && { ...tool, inputSchema: found.inputSchema };
  };
}

// No slug has a space.
const keyOf = ({ applicationSlug, toolSlug }: Pick<SourceTool, 'applicationSlug' | 'toolSlug'>): string =>
  `${applicationSlug} ${toolSlug}`;
