import { connectionRecord, presentConnection } from '@fairlead/rest-records/connection';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { connectionParams } from './inputs.ts';

export const setDefaultConnection = defineRoute(
  {
    operationId: 'setDefaultConnection',
    method: 'put',
    path: '/v1/connections/{connectionId}/default',
    tags: ['Connections'],
    summary: 'Make a connection the default',
    description: 'Makes it the default of its application in place of the previous one.',
    services: ['connections'],
    permission: 'connections.write',
    params: connectionParams,
    resource: 'connection',
    response: connectionRecord,
  },
  async ({ ctx, params, services }) => {
    const { connection } = await services.connections.setDefaultConnection(ctx, { id: params.connectionId });
    return presentConnection(required(connection));
  },
);
