import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { agentParams } from './inputs.ts';

/** The credential of an agent. */
export const agentToken = z
  .strictObject({
    token: z.string().describe('The credential with which the agent connects. Treat it as a secret.'),
  })
  .meta({ id: 'OnPremAgentToken' });

export const getOnPremAgentToken = defineRoute(
  {
    operationId: 'getOnPremAgentToken',
    method: 'get',
    path: '/v1/on-prem-agents/{id}/token',
    tags: ['On-prem agents'],
    summary: 'Read the token of an on-prem agent',
    description: 'Recorded in the audit log before it is read.',
    services: ['agents'],
    permission: 'agents.write',
    params: agentParams,
    resource: 'on-prem agent',
    response: agentToken,
    audit: 'before',
  },
  async ({ ctx, params: { id }, services }) => {
    const { token } = await services.agents.getToken(ctx, { id });
    return { token };
  },
);
