import { z } from 'zod';
import {
  presentDefinitions,
  presentTool,
  schemaProfile,
  toolDefinition,
  toolDetail,
  toolFormat,
} from '@fairlead/rest-records/tool';
import { defineRoute } from '../define-route.ts';
import { toolsetParams } from './inputs.ts';

export const listToolsetTools = defineRoute(
  {
    operationId: 'listToolsetTools',
    method: 'get',
    path: '/v1/toolsets/{id}/tools',
    tags: ['Toolsets'],
    summary: 'List the tools of a toolset',
    description:
      'The tools that the toolset permits, by name, its workflows among them. Inputs that its policy fixes are not in their inputSchema.',
    services: ['toolsets'],
    permission: 'tools.read',
    toolsetKeys: 'ownToolset',
    params: toolsetParams,
    resource: 'toolset',
    query: z.object({ format: toolFormat, schemaProfile }),
    page: { defaultTop: 100 },
    response: z.union([toolDetail, toolDefinition]),
  },
  async ({ ctx, params: { id }, query, page, services }) => {
    const { format, schemaProfile: profile } = query;
    const { items, totalCount } = await services.toolsets.listToolsetTools(ctx, { id, page });
    if (format !== undefined) return { items: presentDefinitions(items, format, profile), totalCount };
    return { items: items.map((tool) => presentTool(tool, profile)), totalCount };
  },
);
