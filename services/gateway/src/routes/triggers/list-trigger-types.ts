import { z } from 'zod';
import { searchText, slug } from '@fairlead/rest-kit/fields';
import { presentTriggerType, triggerTypeListItem } from '@fairlead/rest-records/trigger-type';
import { defineRoute } from '../define-route.ts';

export const listTriggerTypes = defineRoute(
  {
    operationId: 'listTriggerTypes',
    method: 'get',
    path: '/v1/triggers/types',
    tags: ['Triggers'],
    summary: 'List trigger types',
    description:
      'The events that triggers may fire on. Ordered by name, or by relevance with a search. An unknown application returns an empty page.',
    services: ['triggerTypes'],
    permission: 'triggers.read',
    query: z.object({ applicationSlug: slug.optional(), search: searchText }),
    page: { defaultTop: 100 },
    response: triggerTypeListItem,
  },
  async ({ ctx, query: { applicationSlug = '', search }, page, services }) => {
    const { items, totalCount } = await services.triggerTypes.listTriggerTypes(ctx, {
      page,
      applicationSlug,
      search,
    });
    return { items: items.map(presentTriggerType), totalCount };
  },
);
