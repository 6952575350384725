import type { ServiceImpl } from '@connectrpc/connect';
import type { AgentService } from '@fairlead/contracts/agents/v1/agent_service_pb';
import type { Clock } from '@fairlead/service-kit/clock';
import { accountOf } from '@fairlead/service-kit/context/context';
import { readPage } from '@fairlead/service-kit/page';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { requiredAgent } from '../domain/agent.ts';
import type { AgentStore } from '../ports/agent-store.ts';
import { createAgent } from '../use-cases/agents/create-agent.ts';
import type { CreateAgentDeps } from '../use-cases/agents/create-agent.ts';
import { deleteAgent } from '../use-cases/agents/delete-agent.ts';
import type { DeleteAgentDeps } from '../use-cases/agents/delete-agent.ts';
import { getAgent } from '../use-cases/agents/get-agent.ts';
import { rotateToken } from '../use-cases/agents/rotate-token.ts';
import type { RotateTokenDeps } from '../use-cases/agents/rotate-token.ts';
import { updateAgent } from '../use-cases/agents/update-agent.ts';
import type { RunTaskDeps } from '../use-cases/tasks/run-task.ts';
import { fromLicenceMessage } from './convert-licence.ts';
import { fromSettingsChange, toAgentMessage } from './convert-agent.ts';

export interface AgentServiceDeps extends CreateAgentDeps, RunTaskDeps {
  readonly agents: AgentStore;
  readonly tasks: DeleteAgentDeps['tasks'] & RotateTokenDeps['tasks'] & RunTaskDeps['tasks'];
  readonly clock: Clock;
}

/** AgentService of proto/fairlead/agents/v1 over the use cases. */
export function createAgentService(deps: AgentServiceDeps): ServiceImpl<typeof AgentService> {
  return {
    async listAgents({ page }, h) {
      const ctx = requestContext(h);
      const { items, ...rest } = await deps.agents.list(ctx, accountOf(ctx), readPage(page));
      return { items: items.map((agent) => toAgentMessage(agent, deps.clock.now())), ...rest };
    },
    async getAgent({ id }, h) {
      return { agent: toAgentMessage(await getAgent(deps, requestContext(h), id), deps.clock.now()) };
    },
    async createAgent({ settings, licenceStatus, ...sent }, h) {
      const command = {
        ...sent,
        settings: fromSettingsChange(settings),
        licenceStatus: fromLicenceMessage(licenceStatus),
      };
      const agent = await createAgent(deps, requestContext(h), command);
      return { agent: toAgentMessage(agent, deps.clock.now()), token: agent.token.reveal() };
    },
    async updateAgent({ id, settings }, h) {
      const dispatch = await updateAgent(deps, requestContext(h), id, fromSettingsChange(settings));
      return { ...dispatch, dispatchedTaskIds: [...dispatch.dispatchedTaskIds] };
    },
    async deleteAgent({ id }, h) {
      await deleteAgent(deps, requestContext(h), id);
      return {};
    },
    async getToken({ id }, h) {
      const ctx = requestContext(h);
      const token = requiredAgent(await deps.agents.findToken(ctx, accountOf(ctx), id), id);
      return { token: token.reveal() };
    },
    async rotateToken({ id }, h) {
      return { token: (await rotateToken(deps, requestContext(h), id)).reveal() };
    },
  };
}
