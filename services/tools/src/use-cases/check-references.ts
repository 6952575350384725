import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { MAX_TOP } from '@fairlead/service-kit/page';
import { toolsOfPolicy } from '../domain/policy.ts';
import type { ToolReference, ToolsetChange } from '../domain/toolset.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { Connections } from '../ports/connections.ts';
import type { ToolLists } from '../ports/tool-lists.ts';
import type { WorkflowsOfToolset } from '../ports/workflows-of-toolset.ts';

/** What checkReferences needs. */
export interface CheckReferencesDeps {
  readonly catalog: Pick<Catalog, 'resolveTool'>;
  readonly connections: Pick<Connections, 'findConnections'>;
  readonly toolLists: Pick<ToolLists, 'listChosen'>;
  readonly workflows: WorkflowsOfToolset;
}

/**
 * Throws NOT_FOUND if a toolset would name a connection, tool or workflow that does not exist. The tools of its policy are
 * those of the catalogue and of `workflowTokens`: a name with a typing error would permit what it seems to forbid.
 */
export async function checkReferences(
  deps: CheckReferencesDeps,
  ctx: RequestContext,
  { connectionIds = [], tools, workflowTokens: named, policy }: ToolsetChange,
  workflowTokens: readonly string[],
): Promise<void> {
  const [found, chosen, workflows] = await Promise.all([
    connectionIds.length === 0 ? [] : deps.connections.findConnections(ctx, { ids: connectionIds }),
    tools && tools.length > 0 ? deps.toolLists.listChosen(ctx, { tools }, { offset: 0, top: 1 }) : undefined,
    workflowTokens.length === 0 ? [] : deps.workflows.findTools(ctx, workflowTokens),
  ]);
  if (found.length < connectionIds.length) throw notFound('connection');
  if (tools && chosen && chosen.totalCount < tools.length && !(await areKnown(deps, ctx, tools)))
    throw notFound('tool');
  if (named && workflows.length < named.length) throw notFound('workflow');
  if (!policy) return;
  const slugs = new Set(workflows.flatMap(({ tool }) => [tool.toolSlug, ...tool.aliases]));
  const catalogued = toolsOfPolicy(policy).filter((slug) => !slugs.has(slug));
  const known = await Promise.all(catalogued.map((slug) => isKnown(deps, ctx, slug)));
  if (known.includes(false)) throw notFound('tool');
}

/** Whether each of the tools exists. Several may name the same one, by its slug and by aliases. */
async function areKnown(
  { toolLists }: CheckReferencesDeps,
  ctx: RequestContext,
  tools: readonly ToolReference[],
): Promise<boolean> {
  const unknown = new Set(tools.map(keyOf));
  for (let offset = 0; ; offset += MAX_TOP) {
    const { items, totalCount } = await toolLists.listChosen(ctx, { tools }, { offset, top: MAX_TOP });
    for (const { applicationSlug, toolSlug, aliases } of items)
      for (const slug of [toolSlug, ...aliases]) unknown.delete(keyOf({ applicationSlug, toolSlug: slug }));
    if (offset + MAX_TOP >= totalCount) return unknown.size === 0;
  }
}

function keyOf({ applicationSlug, toolSlug }: ToolReference): string {
  return JSON.stringify([applicationSlug, toolSlug]);
}

async function isKnown(
  { catalog }: CheckReferencesDeps,
  ctx: RequestContext,
  toolSlug: string,
): Promise<boolean> {
  try {
    return (await catalog.resolveTool(ctx, toolSlug, '')).length > 0;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}
