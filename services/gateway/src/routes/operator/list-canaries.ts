import { defineRoute } from '../define-route.ts';
import { canaryRecord, presentCanary } from '@fairlead/rest-records/canary';

export const listCanaries = defineRoute(
  {
    operationId: 'listCanaries',
    method: 'get',
    path: '/operator/v1/canaries',
    tags: ['Operator'],
    summary: 'List canaries',
    description: 'One for each service that has a canary, with the weights that the processes obey.',
    auth: 'operator',
    services: ['canaries'],
    page: { defaultTop: 100 },
    response: canaryRecord,
  },
  async ({ page: { offset, top }, services }) => {
    const all = await services.canaries.list();
    return { items: all.slice(offset, offset + top).map(presentCanary), totalCount: all.length };
  },
);
