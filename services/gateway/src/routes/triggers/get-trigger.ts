import { presentTrigger, triggerRecord } from '@fairlead/rest-records/trigger';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { triggerParams } from './inputs.ts';

export const getTrigger = defineRoute(
  {
    operationId: 'getTrigger',
    method: 'get',
    path: '/v1/triggers/{triggerId}',
    tags: ['Triggers'],
    summary: 'Get a trigger',
    services: ['triggers'],
    permission: 'triggers.read',
    params: triggerParams,
    resource: 'trigger',
    response: triggerRecord,
  },
  async ({ ctx, params: { triggerId: id }, services }) => {
    const { trigger } = await services.triggers.getTrigger(ctx, { id });
    return presentTrigger(required(trigger));
  },
);
