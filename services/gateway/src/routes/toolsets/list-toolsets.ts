import { presentToolset, toolsetRecord } from '@fairlead/rest-records/toolset';
import { defineRoute } from '../define-route.ts';

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
  async ({ ctx, page, services }) => {
    const { items, totalCount } = await services.toolsets.listToolsets(ctx, { page });
    return { items: items.map(presentToolset), totalCount };
  },
);
