import { connectionRecord, presentConnection } from '@fairlead/rest-records/connection';
import { defineRoute } from '../define-route.ts';

export const listAllConnections = defineRoute(
  {
    operationId: 'listAllConnections',
    method: 'get',
    path: '/admin/v1/connections',
    tags: ['Administration'],
    summary: 'List connections of every kind',
    description: 'Newest first.',
    services: ['connections'],
    permission: 'administration',
    page: { defaultTop: 25 },
    response: connectionRecord,
  },
  async ({ ctx, page, services }) => {
    const { items, totalCount } = await services.connections.listConnections(ctx, { page, kinds: [] });
    return { items: items.map(presentConnection), totalCount };
  },
);
