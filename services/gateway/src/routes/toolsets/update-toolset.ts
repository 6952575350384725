import { z } from 'zod';
import { presentToolset, toolsetRecord } from '@fairlead/rest-records/toolset';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { toolsetMembers, toolsetParams } from './inputs.ts';

const body = z
  .strictObject({
    name: toolsetMembers.name.exactOptional(),
    description: toolsetMembers.description.exactOptional(),
    connections: toolsetMembers.connections.exactOptional(),
    tools: toolsetMembers.tools.exactOptional(),
    workflows: toolsetMembers.workflows.exactOptional(),
    policy: toolsetMembers.policy.exactOptional(),
  })
  .meta({ id: 'UpdateToolsetRequest' });

export const updateToolset = defineRoute(
  {
    operationId: 'updateToolset',
    method: 'patch',
    path: '/v1/toolsets/{id}',
    tags: ['Toolsets'],
    summary: 'Change a toolset',
    description:
      'A member that is left out keeps its value; a list, and the policy, replace the former one. `tools: null` lifts the list. A policy that is sent again goes on meaning the tools that its slugs meant, and means those that they name now.',
    services: ['toolsets'],
    permission: 'tools.write',
    params: toolsetParams,
    resource: 'toolset',
    body,
    passesOn: ['policy.fixedFields'],
    response: toolsetRecord,
  },
  async ({ ctx, params, body: { name, description, connections, tools, workflows, policy }, services }) => {
    const { toolset } = await services.toolsets.updateToolset(ctx, {
      id: params.id,
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(connections && { connections: { ids: connections } }),
      ...(tools !== undefined && {
        toolChange: tools === null ? { case: 'allTools', value: true } : { case: 'tools', value: { tools } },
      }),
      ...(workflows && { workflows: { tokens: workflows } }),
      ...(policy !== undefined && {
        policyChange: policy === null ? { case: 'noPolicy', value: true } : { case: 'policy', value: policy },
      }),
    });
    return presentToolset(required(toolset));
  },
);
