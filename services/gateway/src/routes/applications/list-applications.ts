import { z } from 'zod';
import { searchText } from '@fairlead/rest-kit/fields';
import { applicationSummary, presentApplicationSummary } from '@fairlead/rest-records/application';
import { defineRoute } from '../define-route.ts';
import { kindFilter } from '../kind-filter.ts';

export const listApplications = defineRoute(
  {
    operationId: 'listApplications',
    method: 'get',
    path: '/v1/applications',
    tags: ['Applications'],
    summary: 'List applications',
    description:
      'Ordered by name, or by relevance with a search. Without `kind`, the list includes every kind.',
    toolsetKeys: 'any',
    services: ['applications', 'signIns'],
    budget: 'search',
    query: z.object({
      kind: kindFilter.optional(),
      available: z
        .boolean()
        .optional()
        .describe('true: applications that the account can connect now; false: the others.'),
      search: searchText,
    }),
    page: { defaultTop: 100 },
    response: applicationSummary,
  },
  async ({ ctx, query, page, services }) => {
    // Only the connections service knows the OAuth clients on which `connectable` depends.
    const { clients } = await services.signIns.listSignInClients(ctx, {});
    const { items, totalCount } = await services.applications.listApplications(ctx, {
      page,
      search: query.search,
      signInClients: clients,
      ...(query.kind !== undefined && { kind: query.kind }),
      ...(query.available !== undefined && { available: query.available }),
    });
    return { items: items.map(presentApplicationSummary), totalCount };
  },
);
