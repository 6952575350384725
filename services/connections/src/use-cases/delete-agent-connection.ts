import type { Clock } from '@fairlead/service-kit/clock';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ConnectionStore } from '../ports/connection-store.ts';

interface DeleteAgentConnectionDeps {
  readonly connections: Pick<ConnectionStore, 'findOfAgent' | 'delete'>;
  readonly clock: Clock;
}

/** Removes the connection with that creation id of an on-prem agent, if there is one. */
export async function deleteAgentConnection(
  { connections, clock }: DeleteAgentConnectionDeps,
  ctx: RequestContext,
  creationId: string,
): Promise<void> {
  const accountId = actingAccountOf(ctx);
  const connection = await connections.findOfAgent(ctx, accountId, creationId);
  if (connection !== undefined) await connections.delete(ctx, accountId, connection.id, clock.now());
}
