import { z } from 'zod';
import { APPROVAL_STATUSES, approvalRecord, presentApproval } from '@fairlead/rest-records/approval';
import { namesOf } from '@fairlead/rest-records/enums';
import { defineRoute } from '../define-route.ts';
import { wholePage } from '../whole-page.ts';

/** GET /v1/approvals */
export const listApprovals = defineRoute(
  {
    operationId: 'listApprovals',
    method: 'get',
    path: '/v1/approvals',
    tags: ['Toolsets'],
    summary: 'List approvals',
    description:
      'The calls that toolsets have held back until a person approves them, newest first. They are kept for 30 days.',
    auth: 'credential',
    services: ['approvals'],
    permission: 'tools.read',
    query: z.object({ status: z.enum(namesOf(APPROVAL_STATUSES)).optional() }),
    page: { defaultTop: 100 },
    response: approvalRecord,
    errors: [],
  },
  ({ query: { status }, services, ...call }) => {
    const filter = status === undefined ? {} : { status: APPROVAL_STATUSES[status] };
    return wholePage(
      call,
      (ctx, page) => services.approvals.listApprovals(ctx, { page, ...filter }),
      presentApproval,
    );
  },
);
