import { ApplicationKind } from '@fairlead/contracts/catalog/v1/application_pb';
import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import { z } from 'zod';
import type { Services } from '../../services.ts';
import { connectionParams } from './inputs.ts';
import { defineRoute } from '../define-route.ts';

/** Long enough to wait for an application that does not answer. */
const TIMEOUT_MS = 60_000;

export const deleteConnection = defineRoute(
  {
    operationId: 'deleteConnection',
    method: 'delete',
    path: '/v1/connections/{connectionId}',
    tags: ['Connections'],
    summary: 'Delete a connection',
    description:
      'Its credentials are deleted with it. A deleted default is not replaced. Refused while an enabled trigger, a toolset or an MCP server uses it: `candidates` names ' +
      'the uses. Registrations of its triggers at the application are removed there first; an application that is away is waited ' +
      'for, for some seconds.',
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
    callsApplication: true,
    errors: ['CONNECTION_IN_USE'],
  },
  async ({ ctx, params: { connectionId: id }, query: { force }, services }) => {
    const { connections, connectionUses } = services;
    await refuseAgent(ctx, connections, id);
    if (!force) {
      const uses = await connectionUses.list(ctx, id);
      if (uses.length > 0) {
        // NOT_FOUND if the connection is already deleted: a record that was written concurrently may still use it.
        await connections.getConnection(ctx, { id });
        throw new ApiError(
          'CONNECTION_IN_USE',
          `Connection ${id} is used by ${uses.join(', ')}. With force=true it is deleted and removed from them.`,
          { candidates: uses },
        );
      }
    }
    // Continues if the caller disconnects: otherwise triggers that are disabled for the deletion would stay disabled.
    const lasting = detachedContext(ctx, TIMEOUT_MS);
    // Before the deletion: removing the triggers' registrations at the application needs the connection.
    await connectionUses.release(lasting, [id]);
    try {
      await connections.deleteConnection(lasting, { id });
    } catch (error) {
      // An earlier deletion may have ended before the uses were removed.
      if (error instanceof ApiError && error.code === 'NOT_FOUND') await connectionUses.remove(lasting, [id]);
      throw error;
    }
    await connectionUses.remove(lasting, [id]);
    return undefined;
  },
);

/** NOT_FOUND for an on-prem agent: its uses must stay. Passes an unknown connection, which may have left uses behind. */
async function refuseAgent(
  ctx: RequestContext,
  connections: Pick<Services['connections'], 'getConnection'>,
  id: number,
): Promise<void> {
  let isAgent = false;
  try {
    const { connection } = await connections.getConnection(ctx, { id });
    isAgent = connection?.kind === ApplicationKind.OPA;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error;
  }
  if (isAgent) throw notFound('connection');
}
