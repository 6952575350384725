import { notFound, validationError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { isGuid } from '@fairlead/service-kit/ids';
import type { Approval } from '../../domain/approval.ts';
import type { ApprovalStore } from '../../ports/approvals.ts';

export interface FindApprovalDeps {
  readonly approvals: Pick<ApprovalStore, 'find'>;
  readonly clock: Clock;
}

/** The approval that a call names; NOT_FOUND, or VALIDATION_ERROR for an invalid id. Undefined: it names none. */
export async function findApproval(
  { approvals, clock }: FindApprovalDeps,
  ctx: RequestContext,
  approvalId: string | undefined,
): Promise<Approval | undefined> {
  if (approvalId === undefined) return undefined;
  if (!isGuid(approvalId)) throw validationError({ field: 'approvalId', issue: 'must be a GUID' });
  const found = await approvals.find(ctx, accountOf(ctx), approvalId, clock.now());
  if (found === undefined) throw notFound('approval');
  return found;
}
