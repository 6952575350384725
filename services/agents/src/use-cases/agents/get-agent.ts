import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { requiredAgent } from '../../domain/agent.ts';
import type { Agent } from '../../domain/agent.ts';
import type { AgentStore } from '../../ports/agent-store.ts';

export interface GetAgentDeps {
  readonly agents: Pick<AgentStore, 'find'>;
}

/** The account's agent with that id; NOT_FOUND if there is none. */
export async function getAgent({ agents }: GetAgentDeps, ctx: RequestContext, id: number): Promise<Agent> {
  return requiredAgent(await agents.find(ctx, actingAccountOf(ctx), id), id);
}
