import { defineRoute } from '../define-route.ts';
import { sessionParams } from './inputs.ts';

/** DELETE /v1/connect-sessions/{sessionId} */
export const endConnectSession = defineRoute(
  {
    operationId: 'endConnectSession',
    method: 'delete',
    path: '/v1/connect-sessions/{sessionId}',
    tags: ['End users'],
    summary: 'End a connect session',
    description:
      'Nothing more can be connected in it. Connections that were made in it stay, and the session can still be read.',
    auth: 'credential',
    services: ['connectSessions'],
    permission: 'connections.write',
    params: sessionParams,
    resource: 'connect session',
    errors: [],
  },
  async ({ ctx, params, services }) => {
    await services.connectSessions.endConnectSession(ctx, params);
    return undefined;
  },
);
