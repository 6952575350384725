import { z } from 'zod';
import { presentToolset, toolsetRecord } from '@fairlead/rest-records/toolset';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { toolsetMembers } from './inputs.ts';

const body = z
  .strictObject({
    name: toolsetMembers.name,
    description: toolsetMembers.description.default(''),
    connections: toolsetMembers.connections.default([]),
    tools: toolsetMembers.tools.default(null),
    workflows: toolsetMembers.workflows.default([]),
    policy: toolsetMembers.policy.default(null),
  })
  .meta({ id: 'CreateToolsetRequest' });

export const createToolset = defineRoute(
  {
    operationId: 'createToolset',
    method: 'post',
    path: '/v1/toolsets',
    tags: ['Toolsets'],
    summary: 'Create a toolset',
    description:
      'Groups connections and permitted tools. An execution with its `toolsetId` is confined to it. Duplicates in a list fold. An account has at most 1000 toolsets.',
    services: ['toolsets'],
    permission: 'tools.write',
    body,
    passesOn: ['policy.fixedFields'],
    response: toolsetRecord,
    status: 201,
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  async ({ ctx, body: { connections, tools, workflows, policy, ...sent }, services }) => {
    const { toolset } = await services.toolsets.createToolset(ctx, {
      ...sent,
      connectionIds: connections,
      ...(tools !== null && { tools: { tools } }),
      workflowTokens: workflows,
      ...(policy !== null && { policy }),
    });
    return presentToolset(required(toolset));
  },
);
