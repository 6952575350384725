import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { agentToken } from './get-on-prem-agent-token.ts';
import { agentParams } from './inputs.ts';

export const rotateOnPremAgentToken = defineRoute(
  {
    operationId: 'rotateOnPremAgentToken',
    method: 'post',
    path: '/v1/on-prem-agents/{id}/token',
    tags: ['On-prem agents'],
    summary: 'Replace the token of an on-prem agent',
    description:
      'The former token is worth nothing at once, and the agent is offline until it is started with the new one. Recorded in the audit log before it is replaced.',
    services: ['agents'],
    permission: 'agents.write',
    params: agentParams,
    query: z.object({
      confirm: z
        .boolean()
        .refine((isConfirmed) => isConfirmed, 'must be true')
        .meta({ const: true })
        .describe('Must be `true`, because the agent stops working.'),
    }),
    resource: 'on-prem agent',
    response: agentToken,
    audit: 'before',
  },
  async ({ ctx, params: { id }, services }) => {
    const { token } = await services.agents.rotateToken(ctx, { id });
    return { token };
  },
);
