import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { requiredAgent } from '../../domain/agent.ts';
import type { AgentStore } from '../../ports/agent-store.ts';
import type { AgentWakes } from '../../ports/agent-wakes.ts';
import type { Connections } from '../../ports/connections.ts';
import type { TaskStore } from '../../ports/task-store.ts';

export interface DeleteAgentDeps {
  readonly agents: Pick<AgentStore, 'beginRemoval' | 'remove'>;
  readonly connections: Pick<Connections, 'delete'>;
  readonly tasks: Pick<TaskStore, 'endAll'>;
  readonly wakes: Pick<AgentWakes, 'wake'>;
  readonly clock: Clock;
}

/** Removes an agent and its connection; NOT_FOUND if there is none. If it fails in between, the sweep completes it. */
export async function deleteAgent(
  { agents, connections, tasks, wakes, clock }: DeleteAgentDeps,
  ctx: RequestContext,
  id: number,
): Promise<void> {
  const accountId = accountOf(ctx);
  const { creationId } = requiredAgent(await agents.beginRemoval(ctx, accountId, { id }, clock.now()), id);
  await tasks.endAll(ctx, accountId, creationId, { end: 'deleted', now: clock.now() });
  wakes.wake(creationId);
  await connections.delete(ctx, creationId);
  await agents.remove(ctx, accountId, creationId);
}
