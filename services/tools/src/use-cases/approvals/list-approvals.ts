import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ApprovalStore } from '../../ports/approvals.ts';

export interface ListApprovalsDeps {
  readonly approvals: Pick<ApprovalStore, 'list'>;
  readonly clock: Clock;
}

/** One page of the account's approvals, newest first. */
export function listApprovals(
  { approvals, clock }: ListApprovalsDeps,
  ctx: RequestContext,
  query: Parameters<ApprovalStore['list']>[2],
): ReturnType<ApprovalStore['list']> {
  return approvals.list(ctx, accountOf(ctx), query, clock.now());
}
