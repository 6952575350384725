import { connectSessionRecord, presentConnectSession } from '@fairlead/rest-records/connect-session';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { sessionParams } from './inputs.ts';

export const getConnectSession = defineRoute(
  {
    operationId: 'getConnectSession',
    method: 'get',
    path: '/v1/connect-sessions/{sessionId}',
    tags: ['End users'],
    summary: 'Get a connect session',
    description: 'A session can be read for seven days after it has expired.',
    services: ['connectSessions'],
    permission: 'connections.write',
    params: sessionParams,
    resource: 'connect session',
    response: connectSessionRecord,
  },
  async ({ ctx, params, services }) => {
    const { session } = await services.connectSessions.getConnectSession(ctx, params);
    return presentConnectSession(required(session));
  },
);
