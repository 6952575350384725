import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { ToolSummary } from '../../domain/tool-summary.ts';
import { namesOfWorkflow, WORKFLOW_APPLICATION } from '../../domain/workflow.ts';
import type { WorkflowView } from '../../domain/workflow.ts';
import type { WorkflowStore } from '../../ports/workflow-store.ts';
import type { WorkflowTool } from '../../ports/workflows-of-toolset.ts';

const ANY_OBJECT = LazyJson.of({ type: 'object' });

export interface FindWorkflowToolsDeps {
  readonly workflows: Pick<WorkflowStore, 'findSome'>;
}

/** The tools of the account's workflows with these tokens; missing workflows are omitted. */
export async function findWorkflowTools(
  { workflows }: FindWorkflowToolsDeps,
  ctx: RequestContext,
  workflowTokens: readonly string[],
): Promise<readonly WorkflowTool[]> {
  const found = await workflows.findSome(ctx, actingAccountOf(ctx), workflowTokens);
  return found.map((workflow) => ({ workflowToken: workflow.workflowToken, tool: toolOf(workflow) }));
}

function toolOf(workflow: Omit<WorkflowView, 'steps' | 'output'>): ToolSummary {
  const { name, description, revision, inputSchema, createdAt, updatedAt } = workflow;
  return {
    ...namesOfWorkflow(workflow),
    toolName: name,
    description,
    category: 'Workflow',
    applicationSlug: WORKFLOW_APPLICATION,
    applicationName: 'Workflow',
    version: String(revision),
    isDeprecated: false,
    inputSchema,
    outputSchema: ANY_OBJECT,
    supportsFilters: false,
    supportsSort: false,
    supportsTopOffset: false,
    maxFilters: 0,
    maxSorts: 0,
    createdAt,
    updatedAt,
  };
}
