import { z } from 'zod';
import { defineRoute } from '../define-route.ts';
import { eventFilter, eventFilters } from './inputs.ts';

const body = z
  .object({
    triggerId: eventFilters.triggerId.optional(),
    destinationId: eventFilters.destinationId
      .optional()
      .describe('Only events that go there; they are replayed to this destination only.'),
    from: eventFilters.from,
    to: eventFilters.to.optional(),
    delivery: eventFilters.delivery.optional(),
  })
  .meta({ id: 'ReplayEventsRequest' });

const queued = z
  .strictObject({ queued: z.int32().describe('How many events will be replayed.') })
  .meta({ id: 'QueuedReplays' });

export const replayEvents = defineRoute(
  {
    operationId: 'replayEvents',
    method: 'post',
    path: '/v1/triggers/events/replay',
    tags: ['Triggers'],
    summary: 'Replay many events',
    description:
      'Replays the matching events, in the background and once each: the oldest ones, at most 10 000. Events without a destination that exists are left out. CONFLICT ' +
      'while that many of earlier requests are still to be replayed.',
    services: ['events', 'triggers'],
    permission: 'triggers.write',
    body,
    response: queued,
    status: 202,
    errors: ['CONFLICT', 'NOT_FOUND'],
  },
  async ({ ctx, body: filters, services }) => {
    const { triggerId } = filters;
    // The trigger must exist, unlike in the filters of lists.
    if (triggerId !== undefined) await services.triggers.getTrigger(ctx, { id: triggerId });
    const { queued: count } = await services.events.replayEvents(ctx, { filter: eventFilter(filters) });
    return { queued: count };
  },
);
