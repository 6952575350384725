import { validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ApprovalStore } from '../../ports/approvals.ts';
import type { Files } from '../../ports/files.ts';

/** The stores of removeEndUserApprovals. */
export interface RemoveEndUserApprovalsDeps {
  readonly approvals: Pick<ApprovalStore, 'removeOfEndUser'>;
  readonly files: Pick<Files, 'dropHeld'>;
  readonly clock: Clock;
}

/** Removes every approval of the account that names an end user, in any status, with the stored files. Succeeds if there is none. */
export async function removeEndUserApprovals(
  { approvals, files, clock }: RemoveEndUserApprovalsDeps,
  ctx: RequestContext,
  endUserId: string,
): Promise<void> {
  if (endUserId === '') throw validationError({ field: 'endUserId', issue: 'must not be empty' });
  const accountId = accountOf(ctx);
  await approvals.removeOfEndUser(ctx, accountId, endUserId);
  await files.dropHeld(accountId, { endUserId }, clock.now());
}
