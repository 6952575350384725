import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { endUserId } from './inputs.ts';

/** DELETE /v1/end-users/{endUserId} */
export const deleteEndUser = defineRoute(
  {
    operationId: 'deleteEndUser',
    method: 'delete',
    path: '/v1/end-users/{endUserId}',
    tags: ['End users'],
    summary: 'Delete what is an end user’s',
    description:
      'Deletes the connections of one of your customers, in use or not, and ends and deletes the connect sessions. It succeeds if ' +
      'there is nothing, so that a call can be repeated; after a 504, repeat it. The history of executions stays for its 90 days.',
    auth: 'credential',
    services: ['connectSessions', 'connectionUses'],
    permission: 'connections.write',
    params: z.object({ endUserId }),
    resource: 'end user',
    callsApplication: true,
    errors: [],
  },
  async ({ ctx, params, services }) => {
    const { connectionIds } = await services.connectSessions.deleteEndUser(ctx, params);
    await services.connectionUses.remove(ctx, connectionIds);
    return undefined;
  },
);
