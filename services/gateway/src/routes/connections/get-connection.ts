import { ApplicationKind } from '@fairlead/contracts/catalog/v1/application_pb';
import { notFound } from '@fairlead/errors/api-error';
import { connectionRecord, presentConnection } from '@fairlead/rest-records/connection';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { connectionParams } from './inputs.ts';

export const getConnection = defineRoute(
  {
    operationId: 'getConnection',
    method: 'get',
    path: '/v1/connections/{connectionId}',
    tags: ['Connections'],
    summary: 'Get a connection',
    description: 'On-prem agents and connections of kind MCPClient are NOT_FOUND here.',
    services: ['connections'],
    permission: 'connections.read',
    params: connectionParams,
    resource: 'connection',
    response: connectionRecord,
  },
  async ({ ctx, params, services }) => {
    const connection = required(
      (await services.connections.getConnection(ctx, { id: params.connectionId })).connection,
    );
    const isHidden = [ApplicationKind.OPA, ApplicationKind.MCP_CLIENT].includes(connection.kind);
    if (isHidden) throw notFound('connection');
    return presentConnection(connection);
  },
);
