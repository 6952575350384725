import { approvalRecord, presentApproval } from '@fairlead/rest-records/approval';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { approvalParams } from './params.ts';

export const approveCall = defineRoute(
  {
    operationId: 'approveCall',
    method: 'post',
    path: '/v1/approvals/{approvalId}/approve',
    tags: ['Toolsets'],
    summary: 'Approve a call',
    description:
      'The same call of the same caller then runs once with this `approvalId`, until the approval expires. With `approvedByOther` in the policy of its toolset, the user who called gets 403 FORBIDDEN.',
    services: ['approvals'],
    permission: 'tools.write',
    params: approvalParams,
    resource: 'approval',
    response: approvalRecord,
    errors: ['CONFLICT'],
  },
  async ({ ctx, params: { approvalId }, services }) => {
    const { approval } = await services.approvals.decideApproval(ctx, { approvalId, isApproved: true });
    return presentApproval(required(approval));
  },
);
