import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { userOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ApprovalStore } from '../../ports/approvals.ts';
import type { ToolsetStore } from '../../ports/toolset-store.ts';

/** The stores of deleteToolset. */
export interface DeleteToolsetDeps {
  readonly toolsets: Pick<ToolsetStore, 'delete'>;
  readonly approvals: Pick<ApprovalStore, 'rejectOfToolset'>;
  readonly clock: Clock;
}

/**
 * Removes a toolset; NOT_FOUND if there is none. Its unused approvals are rejected: no call can use them any more, and they would count
 * against their callers' maximum and keep files.
 */
export async function deleteToolset(
  { toolsets, approvals, clock }: DeleteToolsetDeps,
  ctx: RequestContext,
  id: string,
): Promise<void> {
  const { accountId, userId } = userOf(ctx);
  if (!(await toolsets.delete(ctx, accountId, id))) throw notFound('toolset');
  await approvals.rejectOfToolset(ctx, accountId, id, { userId, now: clock.now() });
}
