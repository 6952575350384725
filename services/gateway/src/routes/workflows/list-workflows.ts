import { presentWorkflow, workflowRecord } from '@fairlead/rest-records/workflow';
import { defineRoute } from '../define-route.ts';
import { wholePage } from '../whole-page.ts';

/** GET /v1/workflows */
export const listWorkflows = defineRoute(
  {
    operationId: 'listWorkflows',
    method: 'get',
    path: '/v1/workflows',
    tags: ['Workflows'],
    summary: 'List workflows',
    description: 'Newest first.',
    auth: 'credential',
    services: ['workflows'],
    permission: 'tools.read',
    page: { defaultTop: 100 },
    response: workflowRecord,
    errors: [],
  },
  ({ services, ...call }) =>
    wholePage(call, (ctx, page) => services.workflows.listWorkflows(ctx, { page }), presentWorkflow),
);
