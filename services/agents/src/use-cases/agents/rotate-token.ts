import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Secret } from '@fairlead/service-kit/secret';
import { requiredAgent } from '../../domain/agent.ts';
import { newToken } from '../../domain/agent-token.ts';
import type { AgentStore } from '../../ports/agent-store.ts';
import type { AgentWakes } from '../../ports/agent-wakes.ts';
import type { TaskStore } from '../../ports/task-store.ts';

export interface RotateTokenDeps {
  readonly agents: Pick<AgentStore, 'rotate'>;
  readonly tasks: Pick<TaskStore, 'takeFromOthers'>;
  readonly wakes: Pick<AgentWakes, 'wake'>;
  readonly clock: Clock;
}

/**
 * Replaces the agent's token and marks the agent as offline at once; NOT_FOUND if there is none. The former token is invalid from then on.
 */
export async function rotateToken(
  { agents, tasks, wakes, clock }: RotateTokenDeps,
  ctx: RequestContext,
  id: number,
): Promise<Secret> {
  const token = newToken();
  const accountId = accountOf(ctx);
  const now = clock.now();
  const rotated = requiredAgent(await agents.rotate(ctx, accountId, id, token, now), id);
  const { creationId } = rotated;
  await tasks.takeFromOthers(ctx, accountId, creationId, { instance: null, now });
  wakes.wake(creationId);
  return token;
}
