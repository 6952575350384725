import { ApiError } from '@fairlead/errors/api-error';
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
    description:
      'Its credentials are deleted with it. A deleted default is not replaced. Refused while an enabled trigger or a toolset uses it: `candidates` names ' +
      'the uses.',
    auth: 'credential',
    services: ['connections', 'connectionUses'],
    permission: 'connections.write',
    params: connectionParams,
    query: z.object({
      force: z
        .boolean()
        .default(false)
        .describe(
          'Deletes it even if a trigger, toolset or MCP server uses it: triggers are disabled, and the others lose it.',
        ),
    }),
    resource: 'connection',
    errors: ['CONNECTION_IN_USE'],
  },
  async ({ ctx, params: { connectionId: id }, query: { force }, services }) => {
    const { connections, connectionUses } = services;
    if (!force) {
      const uses = await connectionUses.list(ctx, id);
      if (uses.length > 0) {
        // A record may use a connection that was deleted while it was written.
        await connections.getConnection(ctx, { id });
        throw new ApiError(
          'CONNECTION_IN_USE',
          `Connection ${id} is used by ${uses.join(', ')}. With force=true it is deleted and removed from them.`,
          { candidates: uses },
        );
      }
    }
    try {
      await connections.deleteConnection(ctx, { id });
    } catch (error) {
      // An earlier deletion may have ended before its uses were removed.
      if (error instanceof ApiError && error.code === 'NOT_FOUND') await connectionUses.remove(ctx, [id]);
      throw error;
    }
    // After the deletion: a record that was written meanwhile loses the connection, too.
    await connectionUses.remove(ctx, [id]);
    return undefined;
  },
);
