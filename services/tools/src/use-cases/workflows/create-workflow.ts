import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Clock } from '@fairlead/service-kit/clock';
import { prefixedId } from '@fairlead/service-kit/ids';
import { slugTaken } from '../../domain/workflow.ts';
import type { Workflow, WorkflowContent } from '../../domain/workflow.ts';
import type { WorkflowStore } from '../../ports/workflow-store.ts';
import { checkWorkflow } from './check-workflow.ts';
import type { CheckWorkflowDeps } from './check-workflow.ts';

export interface CreateWorkflowDeps extends CheckWorkflowDeps {
  readonly workflows: Pick<WorkflowStore, 'insert'>;
  readonly clock: Clock;
}

/**
 * Stores a workflow; VALIDATION_ERROR and CONFLICT as for checkWorkflow; CONFLICT also for a slug that another workflow has or had, and if
 * the account has the maximum.
 */
export async function createWorkflow(
  deps: CreateWorkflowDeps,
  ctx: RequestContext,
  content: WorkflowContent,
): Promise<Workflow> {
  await checkWorkflow(deps, ctx, content);
  const now = deps.clock.now();
  const workflow = {
    ...content,
    workflowToken: prefixedId('wf'),
    revision: 1,
    aliases: [],
    createdAt: now,
    updatedAt: now,
  };
  if ((await deps.workflows.insert(ctx, accountOf(ctx), workflow)) === 'taken') throw slugTaken();
  return workflow;
}
