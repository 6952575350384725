import { onPremAgentRecord, presentOnPremAgent } from '@fairlead/rest-records/on-prem-agent';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { agentParams } from './inputs.ts';

export const getOnPremAgent = defineRoute(
  {
    operationId: 'getOnPremAgent',
    method: 'get',
    path: '/v1/on-prem-agents/{id}',
    tags: ['On-prem agents'],
    summary: 'Get an on-prem agent',
    services: ['agents'],
    permission: 'agents.read',
    params: agentParams,
    resource: 'on-prem agent',
    response: onPremAgentRecord,
  },
  async ({ ctx, params: { id }, services }) => {
    const { agent } = await services.agents.getAgent(ctx, { id });
    return presentOnPremAgent(required(agent));
  },
);
