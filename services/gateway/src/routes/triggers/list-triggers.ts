import { presentTrigger, triggerRecord } from '@fairlead/rest-records/trigger';
import { defineRoute } from '../define-route.ts';

/** GET /v1/triggers */
export const listTriggers = defineRoute(
  {
    operationId: 'listTriggers',
    method: 'get',
    path: '/v1/triggers',
    tags: ['Triggers'],
    summary: 'List triggers',
    description: 'Newest first.',
    auth: 'credential',
    services: ['triggers'],
    permission: 'triggers.read',
    page: { defaultTop: 100 },
    response: triggerRecord,
    errors: [],
  },
  async ({ ctx, page, services }) => {
    const { items, totalCount } = await services.triggers.listTriggers(ctx, { page });
    return { items: items.map(presentTrigger), totalCount };
  },
);
