import { presentTrigger, triggerRecord } from '../../present/trigger.ts';
import { required } from '../../present/values.ts';
import { defineRoute } from '../define-route.ts';
import { triggerParams } from './inputs.ts';

/** GET /v1/triggers/{triggerId} */
export const getTrigger = defineRoute(
  {
    operationId: 'getTrigger',
    method: 'get',
    path: '/v1/triggers/{triggerId}',
    tags: ['Triggers'],
    summary: 'Get a trigger',
    auth: 'credential',
    services: ['triggers'],
    permission: 'triggers.read',
    params: triggerParams,
    resource: 'trigger',
    response: triggerRecord,
    errors: [],
  },
  async ({ ctx, params: { triggerId: id }, services }) => {
    const { trigger } = await services.triggers.getTrigger(ctx, { id });
    return presentTrigger(required(trigger));
  },
);
