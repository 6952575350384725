import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import type { AgentStore } from '../../ports/agent-store.ts';
import type { Connections } from '../../ports/connections.ts';

interface UndoCreationDeps {
  readonly agents: Pick<AgentStore, 'beginRemoval' | 'remove'>;
  readonly connections: Pick<Connections, 'delete'>;
  readonly clock: Clock;
}

const LIMIT_MS = 10_000;

/** Removes an incomplete agent and its connection. If that fails, the sweep does it. */
export async function undoCreation(
  { agents, connections, clock }: UndoCreationDeps,
  ctx: RequestContext,
  accountId: string,
  creationId: string,
): Promise<void> {
  const lasting = detachedContext(ctx, LIMIT_MS);
  try {
    if ((await agents.beginRemoval(lasting, accountId, { creationId }, clock.now())) === undefined) return;
    await connections.delete(lasting, creationId);
    await agents.remove(lasting, accountId, creationId);
  } catch (error) {
    ctx.log.warn({ err: error, creationId }, 'could not undo the creation of an on-prem agent');
  }
}
