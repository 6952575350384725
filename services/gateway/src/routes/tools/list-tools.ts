import { z } from 'zod';
import { searchText, slug } from '@fairlead/rest-kit/fields';
import {
  presentDefinitions,
  presentToolListItem,
  schemaProfile,
  toolDefinition,
  toolFormat,
  toolListItem,
} from '@fairlead/rest-records/tool';
import { defineRoute } from '../define-route.ts';

export const listTools = defineRoute(
  {
    operationId: 'listTools',
    method: 'get',
    path: '/v1/tools',
    tags: ['Tools'],
    summary: 'List tools',
    description:
      'Ordered by name, or by relevance with a search. An unknown application returns an empty page.',
    services: ['tools', 'toolPages'],
    budget: 'search',
    permission: 'tools.read',
    toolsetKeys: 'any',
    query: z.object({
      applicationSlug: slug.optional(),
      search: searchText,
      format: toolFormat,
      schemaProfile,
    }),
    page: { defaultTop: 100 },
    response: z.union([toolListItem, toolDefinition]),
  },
  async ({ ctx, query, page, services }) => {
    const { applicationSlug = '', search, format, schemaProfile: profile } = query;
    const listQuery = { page, applicationSlug, search };
    if (format === undefined && profile === undefined) return await services.toolPages.list(ctx, listQuery);
    const { items, totalCount } = await services.tools.listTools(ctx, listQuery);
    if (format !== undefined) return { items: presentDefinitions(items, format, profile), totalCount };
    return { items: items.map((tool) => presentToolListItem(tool, profile)), totalCount };
  },
);
