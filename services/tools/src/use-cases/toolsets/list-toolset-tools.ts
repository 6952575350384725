import type { RequestContext } from '@fairlead/service-kit/context/context';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { Page } from '@fairlead/service-kit/page';
import { mergedPage, windowOf } from '../../domain/tool-summary.ts';
import type { ToolSummary, ToolSummaryPage } from '../../domain/tool-summary.ts';
import { withoutFixedFields } from '../../domain/policy.ts';
import type { ToolsetPolicy } from '../../domain/policy.ts';
import type { Toolset } from '../../domain/toolset.ts';
import type { Connections } from '../../ports/connections.ts';
import type { ToolLists } from '../../ports/tool-lists.ts';
import type { WorkflowsOfToolset } from '../../ports/workflows-of-toolset.ts';
import { getToolset } from './get-toolset.ts';
import type { GetToolsetDeps } from './get-toolset.ts';

export interface ListToolsetToolsDeps extends GetToolsetDeps {
  readonly connections: Pick<Connections, 'findConnections'>;
  readonly toolLists: Pick<ToolLists, 'listChosen'>;
  readonly workflows: WorkflowsOfToolset;
}

/**
 * The tools that a toolset and its policy permit, workflows included, by name, without fixed inputs; NOT_FOUND if there is no such toolset.
 */
export async function listToolsetTools(
  deps: ListToolsetToolsDeps,
  ctx: RequestContext,
  { id, page }: { readonly id: string; readonly page: Page },
): Promise<ToolSummaryPage> {
  const toolset = await getToolset(deps, ctx, id);
  const [choice, workflows] = await Promise.all([
    choiceOf(deps, ctx, toolset),
    toolset.workflowTokens.length === 0 ? [] : deps.workflows.findTools(ctx, toolset.workflowTokens),
  ]);
  const window = windowOf(page, workflows.length);
  const isReadOnly = toolset.policy?.readOnly ?? false;
  const { items, totalCount } = await deps.toolLists.listChosen(ctx, { ...choice, isReadOnly }, window);
  const tools = workflows.map(({ tool }) => tool);
  const merged = mergedPage({ offset: window.offset, items }, tools, page);
  return {
    items: merged.map((tool) => withoutFixed(toolset.policy, tool)),
    totalCount: totalCount + tools.length,
  };
}

function withoutFixed(policy: ToolsetPolicy | null, tool: ToolSummary): ToolSummary {
  if (policy === null || Object.keys(policy.fixedFields).length === 0) return tool;
  const schema = withoutFixedFields(policy, tool, tool.inputSchema.parseObject());
  return { ...tool, inputSchema: LazyJson.of(schema) };
}

async function choiceOf(
  { connections }: ListToolsetToolsDeps,
  ctx: RequestContext,
  { tools, connectionIds }: Toolset,
): Promise<Parameters<ToolLists['listChosen']>[1]> {
  if (tools !== null) return { tools };
  const found = await connections.findConnections(ctx, { ids: connectionIds });
  return { applicationSlugs: [...new Set(found.map(({ applicationSlug }) => applicationSlug))] };
}
