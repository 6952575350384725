import { destinationRecord, presentDestination } from '@fairlead/rest-records/destination';
import { defineRoute } from '../define-route.ts';

export const listDestinations = defineRoute(
  {
    operationId: 'listDestinations',
    method: 'get',
    path: '/v1/triggers/destinations',
    tags: ['Triggers'],
    summary: 'List destinations',
    description: 'Newest first.',
    services: ['destinations'],
    permission: 'triggers.read',
    page: { defaultTop: 100 },
    response: destinationRecord,
  },
  async ({ ctx, page, services }) => {
    const { items, totalCount } = await services.destinations.listDestinations(ctx, { page });
    return { items: items.map(presentDestination), totalCount };
  },
);
