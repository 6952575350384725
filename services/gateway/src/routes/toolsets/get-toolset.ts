import { presentToolset, toolsetRecord } from '@fairlead/rest-records/toolset';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { toolsetParams } from './inputs.ts';

export const getToolset = defineRoute(
  {
    operationId: 'getToolset',
    method: 'get',
    path: '/v1/toolsets/{id}',
    tags: ['Toolsets'],
    summary: 'Get a toolset',
    services: ['toolsets'],
    permission: 'tools.read',
    toolsetKeys: 'ownToolset',
    params: toolsetParams,
    resource: 'toolset',
    response: toolsetRecord,
  },
  async ({ ctx, params: { id }, services }) => {
    const { toolset } = await services.toolsets.getToolset(ctx, { id });
    return presentToolset(required(toolset));
  },
);
