import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { z } from 'zod';
import { text } from '@fairlead/rest-kit/fields';
import { eventDetail, presentEventDetail } from '@fairlead/rest-records/event';
import { required } from '@fairlead/rest-records/values';
import type { Services } from '../../services.ts';
import { defineRoute } from '../define-route.ts';
import { eventParams } from './inputs.ts';

export const replayEvent = defineRoute(
  {
    operationId: 'replayEvent',
    method: 'post',
    path: '/v1/triggers/events/{eventId}/replay',
    tags: ['Triggers'],
    summary: 'Replay an event',
    description:
      'Queues one more attempt, due now, at each destination of the event; if it has none, at those that its trigger has now. A retry that is scheduled ' +
      'becomes due now, and its step is not used up; an attempt that is under way is followed by one more. While a replay is queued, another one is the same ' +
      'attempt; with the destination disabled it waits. CONFLICT once the event has had 1 000 attempts at a destination.',
    services: ['events', 'triggers'],
    permission: 'triggers.write',
    params: eventParams,
    resource: 'event',
    query: z.object({
      destinationId: text(1, 100).optional().describe('Replays it to this one of its destinations only.'),
    }),
    response: eventDetail,
    status: 202,
    errors: ['CONFLICT', 'NO_DESTINATION'],
  },
  async ({ ctx, params: { eventId: id }, query: { destinationId }, services }) => {
    const replay = { id, ...(destinationId !== undefined && { destinationId }) };
    try {
      return presentEventDetail(await services.events.replayEvent(ctx, replay));
    } catch (error) {
      if (!hasCode(error, 'NO_DESTINATION')) throw error;
      const destinationIds = await destinationsOfTrigger(services, ctx, id);
      if (destinationIds.length === 0 && destinationId !== undefined) throw notFound('destination');
      return presentEventDetail(await services.events.replayEvent(ctx, { ...replay, destinationIds }));
    }
  },
);

/** The destinations that the trigger of an event has now; none if it was deleted. */
async function destinationsOfTrigger(
  { events, triggers }: Pick<Services, 'events' | 'triggers'>,
  ctx: RequestContext,
  eventId: string,
): Promise<string[]> {
  const { event } = await events.getEvent(ctx, { id: eventId });
  try {
    const { trigger } = await triggers.getTrigger(ctx, { id: required(event).triggerId });
    return required(trigger).destinationIds;
  } catch (error) {
    if (hasCode(error, 'NOT_FOUND')) return [];
    throw error;
  }
}

function hasCode(error: unknown, code: 'NO_DESTINATION' | 'NOT_FOUND'): boolean {
  return error instanceof ApiError && error.code === code;
}
