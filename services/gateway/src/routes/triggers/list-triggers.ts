import { presentTrigger, triggerRecord } from '@fairlead/rest-records/trigger';
import { defineRoute } from '../define-route.ts';
import { wholePage } from '../whole-page.ts';

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
  ({ services, ...call }) =>
    wholePage(call, (ctx, page) => services.triggers.listTriggers(ctx, { page }), presentTrigger),
);
