import { z } from 'zod';
import { text } from '@fairlead/rest-kit/fields';
import { LICENCE_STATUSES } from '@fairlead/rest-records/enums';
import { onPremAgentRecord, presentOnPremAgent } from '@fairlead/rest-records/on-prem-agent';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { agentSettings } from './inputs.ts';

const body = z
  .object({
    applicationSlug: text(1, 200).describe('A slug, or the first characters of one, such as onprem-http.'),
    name: text(1, 200),
    settings: agentSettings.nullish(),
  })
  .meta({ id: 'CreateOnPremAgentRequest' });

const response = onPremAgentRecord
  .extend({
    token: z.string().describe('The credential with which the agent connects. Treat it as a secret.'),
  })
  .meta({ id: 'CreatedOnPremAgent' });

export const createOnPremAgent = defineRoute(
  {
    operationId: 'createOnPremAgent',
    method: 'post',
    path: '/v1/on-prem-agents',
    tags: ['On-prem agents'],
    summary: 'Create an on-prem agent',
    description:
      'Start the agent with the token in the network that it is for. The first agent of an application is its default connection.',
    services: ['agents'],
    permission: 'agents.write',
    body,
    response,
    status: 201,
    errors: ['NOT_FOUND', 'AMBIGUOUS_APPLICATION', 'CONFLICT'],
  },
  async ({ ctx, principal, body: { settings, ...sent }, services }) => {
    const { agent, token } = await services.agents.createAgent(ctx, {
      ...sent,
      settings: settings ?? {},
      licenceStatus: LICENCE_STATUSES[principal.defaultLicence],
    });
    return { ...presentOnPremAgent(required(agent)), token };
  },
);
