import { defineRoute } from '../define-route.ts';
import { triggerParams } from './inputs.ts';

export const deleteTrigger = defineRoute(
  {
    operationId: 'deleteTrigger',
    method: 'delete',
    path: '/v1/triggers/{triggerId}',
    tags: ['Triggers'],
    summary: 'Delete a trigger',
    description: 'Its events stay for their 30 days, and their deliveries go on.',
    services: ['triggers'],
    permission: 'triggers.write',
    params: triggerParams,
    resource: 'trigger',
  },
  async ({ ctx, params: { triggerId: id }, services }) => {
    await services.triggers.deleteTrigger(ctx, { id });
    return undefined;
  },
);
