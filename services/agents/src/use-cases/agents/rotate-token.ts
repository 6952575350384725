import { notFound } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Secret } from '@fairlead/service-kit/secret';
import { newToken } from '../../domain/agent-token.ts';
import type { AgentStore } from '../../ports/agent-store.ts';

export interface RotateTokenDeps {
  readonly agents: Pick<AgentStore, 'rotate'>;
  readonly clock: Clock;
}

/** Gives an agent a new token and has it offline at once; NOT_FOUND if there is none. The former token is worth nothing any more. */
export async function rotateToken(
  { agents, clock }: RotateTokenDeps,
  ctx: RequestContext,
  id: number,
): Promise<Secret> {
  const token = newToken();
  if (!(await agents.rotate(ctx, accountOf(ctx), id, token, clock.now())))
    throw notFound('on-prem agent', id);
  return token;
}
