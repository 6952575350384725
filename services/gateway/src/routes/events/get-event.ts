import { eventDetail, presentEventDetail } from '@fairlead/rest-records/event';
import { defineRoute } from '../define-route.ts';
import { eventParams } from './inputs.ts';

export const getEvent = defineRoute(
  {
    operationId: 'getEvent',
    method: 'get',
    path: '/v1/triggers/events/{eventId}',
    tags: ['Triggers'],
    summary: 'Get an event',
    description: 'With all attempts to deliver it, the pending one included.',
    services: ['events'],
    permission: 'triggers.read',
    params: eventParams,
    resource: 'event',
    response: eventDetail,
  },
  async ({ ctx, params, services }) =>
    presentEventDetail(await services.events.getEvent(ctx, { id: params.eventId })),
);
