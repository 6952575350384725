import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { agentParams, agentSettings } from './inputs.ts';

const body = z.object({ settings: agentSettings.nullish() }).meta({ id: 'UpdateOnPremAgentRequest' });

const response = z
  .strictObject({
    appliedToAgent: z
      .boolean()
      .describe('Whether the running agent has the settings. Otherwise it gets them when it connects.'),
    dispatchedTaskIds: z.array(z.string()).describe('The tasks by which they were handed to it.'),
  })
  .meta({ id: 'UpdatedOnPremAgent' });

export const updateOnPremAgent = defineRoute(
  {
    operationId: 'updateOnPremAgent',
    method: 'patch',
    path: '/v1/on-prem-agents/{id}',
    tags: ['On-prem agents'],
    summary: 'Change the settings of an on-prem agent',
    description:
      'A setting that is left out keeps its value; null takes the default again. The change is stored first, then handed to the agent if it is online.',
    services: ['agents'],
    permission: 'agents.write',
    params: agentParams,
    resource: 'on-prem agent',
    body,
    response,
    callsApplication: true,
    errors: ['OPA_AGENT_ERROR'],
  },
  async ({ ctx, params: { id }, body: { settings }, services }) => {
    const { appliedToAgent, dispatchedTaskIds } = await services.agents.updateAgent(ctx, {
      id,
      settings: settings ?? {},
    });
    return { appliedToAgent, dispatchedTaskIds };
  },
);
