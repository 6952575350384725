import { approvalRecord, presentApproval } from '@fairlead/rest-records/approval';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { approvalParams } from './params.ts';

export const rejectCall = defineRoute(
  {
    operationId: 'rejectCall',
    method: 'post',
    path: '/v1/approvals/{approvalId}/reject',
    tags: ['Toolsets'],
    summary: 'Reject a call',
    description:
      'The call is then 403 FORBIDDEN with this `approvalId`. An approval that is not used yet can be rejected, too. With `approvedByOther` in the policy of its toolset, the user who called gets 403 FORBIDDEN.',
    services: ['approvals'],
    permission: 'tools.write',
    params: approvalParams,
    resource: 'approval',
    response: approvalRecord,
    errors: ['CONFLICT'],
  },
  async ({ ctx, params: { approvalId }, services }) => {
    const { approval } = await services.approvals.decideApproval(ctx, { approvalId, isApproved: false });
    return presentApproval(required(approval));
  },
);
