import { eventBody } from '@fairlead/rest-records/event';
import { required } from '@fairlead/rest-records/values';
import { defineRoute } from '../define-route.ts';
import { eventParams } from './inputs.ts';

export const getEventBody = defineRoute(
  {
    operationId: 'getEventBody',
    method: 'get',
    path: '/v1/triggers/events/{eventId}/body',
    tags: ['Triggers'],
    summary: 'Get the body of an event',
    description: 'The exact bytes that receivers get and that are signed, on every attempt.',
    services: ['events'],
    permission: 'triggers.read',
    params: eventParams,
    resource: 'event',
    response: eventBody,
    streams: true,
  },
  async ({ ctx, params, services }) => {
    const { event } = await services.events.getEvent(ctx, { id: params.eventId });
    return onePiece(required(event).body);
  },
);

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
