import type { RequestContext } from '@fairlead/service-kit/context/context';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import { z } from 'zod';
import type { Services } from '../../services.ts';
import { defineRoute } from '../define-route.ts';
import { endUserId } from './inputs.ts';

const BATCH = 100;
/** Long enough to wait for applications that do not answer. */
const TIMEOUT_MS = 60_000;

export const deleteEndUser = defineRoute(
  {
    operationId: 'deleteEndUser',
    method: 'delete',
    path: '/v1/end-users/{endUserId}',
    tags: ['End users'],
    summary: 'Delete what is an end user’s',
    description:
      'Deletes the connections of one of your customers, in use or not, and ends and deletes the connect sessions, and deletes the approvals that name the end user. It succeeds if ' +
      'there is nothing, so that a call can be repeated; after a 504, repeat it. The history of executions stays for its 90 days.',
    services: ['connections', 'connectSessions', 'connectionUses', 'approvals'],
    permission: 'connections.write',
    params: z.object({ endUserId }),
    resource: 'end user',
    callsApplication: true,
  },
  async ({ ctx, params, services }) => {
    const { connections, connectSessions, connectionUses, approvals } = services;
    // Continues if the caller disconnects: otherwise triggers that are disabled for the deletion would stay disabled.
    const lasting = detachedContext(ctx, TIMEOUT_MS);
    // Before the deletion: removing the triggers' registrations at applications needs the connections.
    await connectionUses.release(lasting, await connectionsOf(connections, lasting, params.endUserId));
    const { connectionIds } = await connectSessions.deleteEndUser(lasting, params);
    await connectionUses.remove(lasting, connectionIds);
    await approvals.removeEndUserApprovals(lasting, params);
    return undefined;
  },
);

async function connectionsOf(
  connections: Pick<Services['connections'], 'listConnections'>,
  ctx: RequestContext,
  endUserId: string,
): Promise<readonly number[]> {
  const ids: number[] = [];
  for (let after: string | undefined; ;) {
    const page = after === undefined ? { offset: ids.length, top: BATCH } : { offset: 0, top: BATCH, after };
    const { items, next } = await connections.listConnections(ctx, { page, endUserId });
    ids.push(...items.map(({ id }) => id));
    if (next === undefined && items.length < BATCH) return ids;
    after = next;
  }
}
