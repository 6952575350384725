import { ApiError, notFound } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Clock } from '@fairlead/service-kit/clock';
import { slugTaken, WORKFLOW_LIMITS } from '../../domain/workflow.ts';
import type { Workflow, WorkflowChange } from '../../domain/workflow.ts';
import type { WorkflowStore } from '../../ports/workflow-store.ts';
import { checkWorkflow } from './check-workflow.ts';
import type { CheckWorkflowDeps } from './check-workflow.ts';

export interface UpdateWorkflowDeps extends CheckWorkflowDeps {
  readonly workflows: Pick<WorkflowStore, 'find' | 'update'>;
  readonly clock: Clock;
}

/** Retries after concurrent changes between check and write. */
const MAX_TRIES = 20;

/**
 * Changes the given members, with the checks of createWorkflow; NOT_FOUND if there is no such workflow. Runs in progress keep the former
 * version. A former slug stays an alias, so that policies of toolsets still apply; CONFLICT if there are too many, and for a slug that
 * another workflow has or had.
 */
export async function updateWorkflow(
  deps: UpdateWorkflowDeps,
  ctx: RequestContext,
  { workflowToken, change }: { readonly workflowToken: string; readonly change: WorkflowChange },
): Promise<Workflow> {
  const accountId = accountOf(ctx);
  for (let left = MAX_TRIES; left > 0; left -= 1) {
    const current = await deps.workflows.find(ctx, accountId, workflowToken);
    if (current === undefined) throw notFound('workflow');
    await checkWorkflow(deps, ctx, change, current);
    requireRoomForSlug(current, change);
    const updated = await deps.workflows.update(ctx, accountId, current, change, deps.clock.now());
    if (updated === 'taken') throw slugTaken();
    if (updated !== undefined) return updated;
  }
  throw new ApiError('UNAVAILABLE', 'Others change the workflow at the same time. Try again.');
}

function requireRoomForSlug(current: Workflow, { slug = current.slug }: WorkflowChange): void {
  const isFurther = slug !== current.slug && !current.aliases.includes(slug);
  if (isFurther && current.aliases.length >= WORKFLOW_LIMITS.aliases)
    throw new ApiError('CONFLICT', `The workflow has had ${WORKFLOW_LIMITS.aliases} other slugs already.`);
}
