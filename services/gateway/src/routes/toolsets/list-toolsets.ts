import { presentToolset, toolsetRecord } from '@fairlead/rest-records/toolset';
import { defineRoute } from '../define-route.ts';
import { wholePage } from '../whole-page.ts';

/** GET /v1/toolsets */
export const listToolsets = defineRoute(
  {
    operationId: 'listToolsets',
    method: 'get',
    path: '/v1/toolsets',
    tags: ['Toolsets'],
    summary: 'List toolsets',
    description: 'Newest first.',
    auth: 'credential',
    services: ['toolsets'],
    permission: 'tools.read',
    page: { defaultTop: 100 },
    response: toolsetRecord,
    errors: [],
  },
  ({ services, ...call }) =>
    wholePage(call, (ctx, page) => services.toolsets.listToolsets(ctx, { page }), presentToolset),
);
