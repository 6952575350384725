import { validationError } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ApprovalStore } from '../ports/approvals.ts';

/** The store that removeEndUserApprovals writes to. */
export interface RemoveEndUserApprovalsDeps {
  readonly approvals: Pick<ApprovalStore, 'removeOfEndUser'>;
}

/** Removes every approval of the account that names an end user, whatever its status. Succeeds if there is none. */
export async function removeEndUserApprovals(
  { approvals }: RemoveEndUserApprovalsDeps,
  ctx: RequestContext,
  endUserId: string,
): Promise<void> {
  if (endUserId === '') throw validationError({ field: 'endUserId', issue: 'must not be empty' });
  await approvals.removeOfEndUser(ctx, accountOf(ctx), endUserId);
}
