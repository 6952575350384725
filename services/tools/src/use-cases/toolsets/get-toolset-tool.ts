import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ToolSummary } from '../../domain/tool-summary.ts';
import { WORKFLOW_APPLICATION } from '../../domain/toolset.ts';
import type { ToolLists } from '../../ports/tool-lists.ts';
import type { WorkflowsOfToolset } from '../../ports/workflows-of-toolset.ts';
import { getToolset } from './get-toolset.ts';
import type { GetToolsetDeps } from './get-toolset.ts';

export interface GetToolsetToolDeps extends GetToolsetDeps {
  readonly toolLists: Pick<ToolLists, 'getTool'>;
  readonly workflows: WorkflowsOfToolset;
}

/**
 * The tool of the toolset's workflow with that slug, or else the catalogue's tool, permitted or not. NOT_FOUND, or AMBIGUOUS_TOOL with the
 * application slugs as candidates.
 */
export async function getToolsetTool(
  deps: GetToolsetToolDeps,
  ctx: RequestContext,
  {
    toolsetId,
    toolSlug,
    applicationSlug,
  }: {
    readonly toolsetId: string;
    readonly toolSlug: string;
    /** Empty: any application. */
    readonly applicationSlug: string;
  },
): Promise<ToolSummary> {
  const { workflowTokens } = await getToolset(deps, ctx, toolsetId);
  if (workflowTokens.length > 0 && (applicationSlug === '' || applicationSlug === WORKFLOW_APPLICATION)) {
    const workflows = await deps.workflows.findTools(ctx, workflowTokens);
    const found = workflows.find(({ tool }) => tool.toolSlug === toolSlug);
    if (found) return found.tool;
  }
  return await deps.toolLists.getTool(ctx, toolSlug, applicationSlug);
}
