import { ApiError, notFound } from '@fairlead/errors/api-error';
import { userOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Approval } from '../../domain/approval.ts';
import type { ApprovalStore } from '../../ports/approvals.ts';
import type { ToolsetStore } from '../../ports/toolset-store.ts';
import { dropHeldFiles } from '../files/drop-held-files.ts';
import type { DropHeldFilesDeps } from '../files/drop-held-files.ts';

export interface DecideApprovalDeps extends DropHeldFilesDeps {
  readonly approvals: Pick<ApprovalStore, 'find' | 'decide'>;
  readonly toolsets: Pick<ToolsetStore, 'find'>;
}

/**
 * Approves a pending approval, or rejects a pending or approved one (which removes its stored files), and returns it; repeating the same
 * decision changes nothing. NOT_FOUND if there is none; FORBIDDEN for the calling user if the toolset's policy requires another user, now
 * or at the time of the request; CONFLICT if it was used, has expired, or should be approved after a rejection.
 */
export async function decideApproval(
  { approvals, toolsets, files, clock }: DecideApprovalDeps,
  ctx: RequestContext,
  { approvalId, isApproved }: { readonly approvalId: string; readonly isApproved: boolean },
): Promise<Approval> {
  const { accountId, userId } = userOf(ctx);
  const now = clock.now();
  const known = await approvals.find(ctx, accountId, approvalId, now);
  if (known === undefined) throw notFound('approval');
  if (known.requestedBy === userId) {
    // Without its toolset there is no policy, and no call can run in it.
    const toolset = await toolsets.find(ctx, accountId, known.toolsetId);
    if (known.requiresOther || toolset?.policy?.approvedByOther === true)
      throw new ApiError('FORBIDDEN', 'You have requested this call, so another user has to decide on it.');
  }
  const decision = isApproved
    ? ({ from: ['pending'], to: 'approved' } as const)
    : ({ from: ['pending', 'approved'], to: 'rejected' } as const);
  const decided = await approvals.decide(ctx, accountId, approvalId, { ...decision, userId, now });
  if (decided !== undefined) {
    if (decided.status === 'rejected') await dropHeldFiles({ files, clock }, ctx, decided);
    return decided;
  }
  const found = await approvals.find(ctx, accountId, approvalId, now);
  if (found === undefined) throw notFound('approval');
  if (found.status === decision.to) return found;
  throw new ApiError('CONFLICT', `The approval is ${found.status} and can no longer be ${decision.to}.`);
}
