import { z } from 'zod';
import { connectionParams } from './inputs.ts';
import { defineRoute } from '../define-route.ts';

/** DELETE /v1/connections/{connectionId} */
export const deleteConnection = defineRoute(
  {
    operationId: 'deleteConnection',
    method: 'delete',
    path: '/v1/connections/{connectionId}',
    tags: ['Connections'],
    summary: 'Delete a connection',
    description: 'Its credentials are deleted with it. A deleted default is not replaced.',
    auth: 'credential',
    services: ['connections'],
    permission: 'connections.write',
    params: connectionParams,
    query: z.object({
      force: z
        .boolean()
        .default(false)
        .describe('Deletes it even if a trigger, toolset or MCP server uses it, and removes it from them.'),
    }),
    resource: 'connection',
    errors: [],
  },
  async ({ ctx, params, services }) => {
    await services.connections.deleteConnection(ctx, { id: params.connectionId });
    return undefined;
  },
);
