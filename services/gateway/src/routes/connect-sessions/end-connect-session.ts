import { defineRoute } from '../define-route.ts';
import { sessionParams } from './inputs.ts';

export const endConnectSession = defineRoute(
  {
    operationId: 'endConnectSession',
    method: 'delete',
    path: '/v1/connect-sessions/{sessionId}',
    tags: ['End users'],
    summary: 'End a connect session',
    description:
      'Nothing more can be connected in it. Connections that were made in it stay, and the session can still be read.',
    services: ['connectSessions'],
    permission: 'connections.write',
    params: sessionParams,
    resource: 'connect session',
  },
  async ({ ctx, params, services }) => {
    await services.connectSessions.endConnectSession(ctx, params);
    return undefined;
  },
);
