import { z } from 'zod';
import { eventRecord, presentEvent } from '@fairlead/rest-records/event';
import { defineRoute } from '../define-route.ts';
import { wholePage } from '../whole-page.ts';
import { eventFilter, eventFilters, eventId } from './inputs.ts';

export const listEvents = defineRoute(
  {
    operationId: 'listEvents',
    method: 'get',
    path: '/v1/triggers/events',
    tags: ['Triggers'],
    summary: 'List events',
    description:
      'The events of the account’s triggers, the latest captured first, also of triggers that were deleted. They are kept for 30 days. To read ' +
      'far, pass the `id` of the last item as `after` for the next page, until a page’s `offset` and its number of items reach ' +
      '`totalCount`. Large pages are streamed: a response that ends early is not valid JSON.',
    services: ['events'],
    permission: 'triggers.read',
    query: z.object({
      triggerId: eventFilters.triggerId.optional(),
      destinationId: eventFilters.destinationId.optional(),
      delivery: eventFilters.delivery.optional(),
      from: eventFilters.from.optional(),
      to: eventFilters.to.optional(),
      after: eventId
        .optional()
        .describe(
          'The `id` of an event: only those captured before it are listed and counted in `totalCount`, and `offset` counts from it. ' +
            'One that the account does not have gives an empty page.',
        ),
    }),
    page: { defaultTop: 100 },
    response: eventRecord,
  },
  ({ query: { after, ...filters }, services, ...call }) => {
    const filter = eventFilter(filters);
    const of = { filter, ...(after !== undefined && { after }) };
    return wholePage(
      call,
      async (ctx, page) => {
        const { totalCount, ...part } = await services.events.listEvents(ctx, { page, ...of });
        return { ...part, totalCount: Number(totalCount) };
      },
      presentEvent,
    );
  },
);
