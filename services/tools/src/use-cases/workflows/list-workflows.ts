import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { WorkflowStore } from '../../ports/workflow-store.ts';

export interface ListWorkflowsDeps {
  readonly workflows: Pick<WorkflowStore, 'list'>;
}

/** One page of the account's workflows, newest first. */
export function listWorkflows(
  { workflows }: ListWorkflowsDeps,
  ctx: RequestContext,
  page: Page,
): ReturnType<WorkflowStore['list']> {
  return workflows.list(ctx, accountOf(ctx), page);
}
