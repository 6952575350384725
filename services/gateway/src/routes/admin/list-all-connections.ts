import { connectionRecord, presentConnection } from '@fairlead/rest-records/connection';
import { defineRoute } from '../define-route.ts';
import { wholePage } from '../whole-page.ts';

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
  ({ services, ...call }) =>
    wholePage(
      call,
      (ctx, page) => services.connections.listConnections(ctx, { page, kinds: [] }),
      presentConnection,
    ),
);
