import { defineRoute } from '../define-route.ts';
import { agentParams } from './inputs.ts';

export const downloadOnPremAgentLogs = defineRoute(
  {
    operationId: 'downloadOnPremAgentLogs',
    method: 'get',
    path: '/v1/on-prem-agents/{id}/logs',
    tags: ['On-prem agents'],
    summary: 'Download the logs of an on-prem agent',
    description:
      'Asks the running agent for its logs and sends them as a zip archive. The platform does not store them. Downloads at the same time share one collection.',
    permission: 'agents.read',
    params: agentParams,
    resource: 'on-prem agent',
    callsApplication: true,
    bytes: 'response',
    bytesFrom: 'agents',
    errors: ['OPA_AGENT_OFFLINE', 'OPA_AGENT_ERROR', 'OPA_AGENT_TIMEOUT'],
  },
  // Forwarded with the signed caller: the agents service finds the agent.
  () => Promise.resolve(undefined),
);
