import { onPremAgentRecord, presentOnPremAgent } from '@fairlead/rest-records/on-prem-agent';
import { defineRoute } from '../define-route.ts';
import { wholePage } from '../whole-page.ts';

export const listOnPremAgents = defineRoute(
  {
    operationId: 'listOnPremAgents',
    method: 'get',
    path: '/v1/on-prem-agents',
    tags: ['On-prem agents'],
    summary: 'List on-prem agents',
    description: 'Newest first.',
    services: ['agents'],
    permission: 'agents.read',
    page: { defaultTop: 100, clamps: true },
    response: onPremAgentRecord,
  },
  ({ services, ...call }) =>
    wholePage(call, (ctx, page) => services.agents.listAgents(ctx, { page }), presentOnPremAgent),
);
