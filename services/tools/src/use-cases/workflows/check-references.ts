import { notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { MAX_TOP } from '@fairlead/service-kit/page';
import type { ToolsetPolicy } from '../../domain/policy.ts';
import type { Connection } from '../../domain/target.ts';
import type { ToolReference, Toolset, ToolsetChange } from '../../domain/toolset.ts';
import type { Catalog } from '../../ports/catalog.ts';
import type { Connections } from '../../ports/connections.ts';
import type { ToolLists } from '../../ports/tool-lists.ts';
import type { WorkflowsOfToolset, WorkflowTool } from '../../ports/workflows-of-toolset.ts';
import { refuseUnknownTool } from '../executions/refuse-unknown-tool.ts';
import { bindPolicy } from '../toolsets/bind-policy.ts';
import { widenPolicy } from '../toolsets/widen-policy.ts';

export interface CheckReferencesDeps {
  readonly catalog: Pick<Catalog, 'resolveTool'>;
  readonly connections: Pick<Connections, 'findConnections'>;
  readonly toolLists: Pick<ToolLists, 'listChosen'>;
  readonly workflows: WorkflowsOfToolset;
}

/** The current members of a toolset; all empty for a new one. */
type Existing = Pick<Toolset, 'connectionIds' | 'workflowTokens' | 'policy'>;

/**
 * Checks the members of a toolset, and binds the slugs of its tools and policy to the tools that they mean now. NOT_FOUND for a connection,
 * tool or workflow that does not exist: a typing error would permit what it seems to forbid. Policies may name tools of the catalogue and
 * the toolset's workflows. An unchanged policy is also bound to tools that are added to the toolset.
 */
export async function checkReferences<C extends ToolsetChange>(
  deps: CheckReferencesDeps,
  ctx: RequestContext,
  change: C,
  existing: Existing,
): Promise<C> {
  const { connectionIds = [], tools, workflowTokens: named } = change;
  const workflowTokens = named ?? existing.workflowTokens;
  const [found, bound, workflows] = await Promise.all([
    connectionIds.length === 0 ? [] : deps.connections.findConnections(ctx, { ids: connectionIds }),
    tools && tools.length > 0 ? boundTools(deps, ctx, tools) : tools,
    workflowTokens.length === 0 ? [] : deps.workflows.findTools(ctx, workflowTokens),
  ]);
  if (found.length < connectionIds.length)
    throw notFound('connection', missingOf(connectionIds, new Set(found.map(({ id }) => id))));
  if (named && workflows.length < named.length)
    throw notFound(
      'workflow',
      missingOf(named, new Set(workflows.map(({ workflowToken }) => workflowToken))),
    );
  const policy = await policyOf(deps, ctx, change, existing, { found, workflows });
  return { ...change, ...(bound !== undefined && { tools: bound }), ...(policy !== undefined && { policy }) };
}

function missingOf<Id>(named: readonly Id[], found: ReadonlySet<Id>): Id | undefined {
  return named.find((id) => !found.has(id));
}

/** The policy to store; undefined: unchanged. */
async function policyOf(
  deps: CheckReferencesDeps,
  ctx: RequestContext,
  { policy }: ToolsetChange,
  existing: Existing,
  {
    found,
    workflows,
  }: { readonly found: readonly Connection[]; readonly workflows: readonly WorkflowTool[] },
): Promise<ToolsetPolicy | null | undefined> {
  if (policy) return await bindPolicy(deps, ctx, policy, { workflows, former: existing.policy });
  if (policy === null || existing.policy === null) return policy;
  const kept = found.filter(({ id }) => existing.connectionIds.includes(id));
  const known = new Set(kept.map(({ applicationSlug }) => applicationSlug));
  const slugs = found.map(({ applicationSlug }) => applicationSlug);
  const widened = await widenPolicy(deps, ctx, existing.policy, {
    applicationSlugs: new Set(slugs.filter((slug) => !known.has(slug))),
    workflows: workflows.filter(({ workflowToken }) => !existing.workflowTokens.includes(workflowToken)),
  });
  return widened === existing.policy ? undefined : widened;
}

/** The tools with their identities; several entries may mean the same tool, by slug and alias. NOT_FOUND if one does not exist. */
async function boundTools(
  deps: CheckReferencesDeps,
  ctx: RequestContext,
  tools: readonly ToolReference[],
): Promise<readonly ToolReference[]> {
  const known = new Map<string, string | undefined>();
  for (let offset = 0; ; offset += MAX_TOP) {
    const { items, totalCount } = await deps.toolLists.listChosen(ctx, { tools }, { offset, top: MAX_TOP });
    for (const tool of items) {
      const [identity] = tool.identities;
      // An earlier release of the catalogue returns no identity; then the slug keeps naming the tool.
      for (const toolSlug of [tool.toolSlug, ...tool.aliases])
        known.set(keyOf({ applicationSlug: tool.applicationSlug, toolSlug }), identity);
    }
    if (offset + MAX_TOP >= totalCount) break;
  }
  const unknown = tools.find((tool) => !known.has(keyOf(tool)));
  if (unknown) await refuseUnknownTool(deps, ctx, unknown.toolSlug, unknown.applicationSlug);
  return tools.map((tool) => {
    const identity = known.get(keyOf(tool));
    return { ...tool, ...(identity !== undefined && { identity }) };
  });
}

function keyOf({ applicationSlug, toolSlug }: ToolReference): string {
  return JSON.stringify([applicationSlug, toolSlug]);
}
