import { presentTool, toolDetail } from '../../present/tool.ts';
import { defineRoute } from '../define-route.ts';
import { toolsetParams } from './inputs.ts';

/** GET /v1/toolsets/{id}/tools */
export const listToolsetTools = defineRoute(
  {
    operationId: 'listToolsetTools',
    method: 'get',
    path: '/v1/toolsets/{id}/tools',
    tags: ['Toolsets'],
    summary: 'List the tools of a toolset',
    description:
      'The tools that the toolset permits, by name, its workflows among them. Inputs that its policy fixes are not in their inputSchema.',
    auth: 'credential',
    services: ['toolsets'],
    permission: 'tools.read',
    params: toolsetParams,
    resource: 'toolset',
    page: { defaultTop: 100 },
    response: toolDetail,
    errors: [],
  },
  async ({ ctx, params: { id }, page, services }) => {
    const { items, totalCount } = await services.toolsets.listToolsetTools(ctx, { id, page });
    return { items: items.map(presentTool), totalCount };
  },
);
