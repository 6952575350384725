import type { ServiceImpl } from '@connectrpc/connect';
import type { ApprovalService } from '@fairlead/contracts/tools/v1/approval_service_pb';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { decideApproval } from '../use-cases/approvals/decide-approval.ts';
import type { DecideApprovalDeps } from '../use-cases/approvals/decide-approval.ts';
import { listApprovals } from '../use-cases/approvals/list-approvals.ts';
import type { ListApprovalsDeps } from '../use-cases/approvals/list-approvals.ts';
import { removeEndUserApprovals } from '../use-cases/approvals/remove-end-user-approvals.ts';
import type { RemoveEndUserApprovalsDeps } from '../use-cases/approvals/remove-end-user-approvals.ts';
import { fromListApprovalsRequest, toApproval } from './convert-approval.ts';

/** ApprovalService of proto/fairlead/tools/v1 over the use cases. */
export function createApprovalService(
  deps: ListApprovalsDeps & DecideApprovalDeps & RemoveEndUserApprovalsDeps,
): ServiceImpl<typeof ApprovalService> {
  return {
    async listApprovals(request, h) {
      const query = fromListApprovalsRequest(request);
      const { items, ...rest } = await listApprovals(deps, requestContext(h), query);
      return { items: items.map(toApproval), ...rest };
    },
    async decideApproval(request, h) {
      return { approval: toApproval(await decideApproval(deps, requestContext(h), request)) };
    },
    async removeEndUserApprovals({ endUserId }, h) {
      await removeEndUserApprovals(deps, requestContext(h), endUserId);
      return {};
    },
  };
}
