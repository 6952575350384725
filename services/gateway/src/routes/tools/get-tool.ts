import { z } from 'zod';
import { guidText, slug } from '@fairlead/rest-kit/fields';
import { presentTool, schemaProfile, toolDetail } from '@fairlead/rest-records/tool';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';

export const getTool = defineRoute(
  {
    operationId: 'getTool',
    method: 'get',
    path: '/v1/tools/{toolSlug}',
    tags: ['Tools'],
    summary: 'Get a tool',
    services: ['tools', 'toolsets'],
    permission: 'tools.read',
    toolsetKeys: 'any',
    params: z.object({ toolSlug: slug }),
    resource: 'tool',
    query: z.object({
      applicationSlug: slug
        .optional()
        .describe('Required if several applications have a tool with this slug.'),
      toolsetId: guidText.optional().describe('Resolves a workflow-backed tool of this toolset by its slug.'),
      schemaProfile,
    }),
    response: toolDetail,
    errors: ['AMBIGUOUS_TOOL'],
  },
  async ({ ctx, params, query, services }) => {
    const { toolsetId, applicationSlug = '' } = query;
    const name = { toolSlug: params.toolSlug, applicationSlug };
    const { tool } =
      toolsetId === undefined
        ? await services.tools.getTool(ctx, name)
        : await services.toolsets.getToolsetTool(ctx, { ...name, toolsetId });
    return presentTool(required(tool), query.schemaProfile);
  },
);
