import { ApiError, notFound } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Clock } from '@fairlead/service-kit/clock';
import type { WorkflowStore } from '../../ports/workflow-store.ts';

export interface DeleteWorkflowDeps {
  readonly workflows: Pick<WorkflowStore, 'delete'>;
  readonly clock: Clock;
}

/**
 * Removes a workflow; NOT_FOUND if there is none. CONFLICT names the toolsets that contain it; a forced deletion removes it from them. Runs
 * in progress continue.
 */
export async function deleteWorkflow(
  { workflows, clock }: DeleteWorkflowDeps,
  ctx: RequestContext,
  { workflowToken, isForced }: { readonly workflowToken: string; readonly isForced: boolean },
): Promise<void> {
  const deletion = await workflows.delete(ctx, accountOf(ctx), workflowToken, { isForced, now: clock.now() });
  switch (deletion.kind) {
    case 'deleted':
      return;
    case 'missing':
      throw notFound('workflow');
    case 'inUse':
      throw new ApiError('CONFLICT', 'Toolsets use the workflow. With force=true they lose it.', {
        candidates: deletion.toolsetIds.map((id) => `toolset:${id}`),
      });
  }
}
