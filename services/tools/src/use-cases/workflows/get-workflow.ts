import { notFound } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Workflow } from '../../domain/workflow.ts';
import type { WorkflowStore } from '../../ports/workflow-store.ts';

export interface GetWorkflowDeps {
  readonly workflows: Pick<WorkflowStore, 'find'>;
}

/** The workflow, or NOT_FOUND. */
export async function getWorkflow(
  { workflows }: GetWorkflowDeps,
  ctx: RequestContext,
  workflowToken: string,
): Promise<Workflow> {
  const workflow = await workflows.find(ctx, accountOf(ctx), workflowToken);
  if (workflow === undefined) throw notFound('workflow');
  return workflow;
}
