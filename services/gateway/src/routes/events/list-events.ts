import type { ListEventsResponse } from '@fairlead/contracts/delivery/v1/event_service_pb';
import type { Page } from '@fairlead/service-kit/page';
import { z } from 'zod';
import { eventRecord, eventText } from '@fairlead/rest-records/event';
import { defineRoute } from '../define-route.ts';
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
    streams: true,
  },
  async ({ ctx, query: { after, ...filters }, page, services }) => {
    const filter = eventFilter(filters);
    const list = (more: PartRequest): Promise<ListEventsResponse> =>
      services.events.listEvents(ctx, { filter, ...more });
    const first = await list({ page, ...(after !== undefined && { after }) });
    return pageText(page, first, list);
  },
);

/** The members in which the requests of one list differ. */
interface PartRequest {
  readonly page: Page;
  readonly after?: string;
  readonly withoutCount?: boolean;
}

/** The JSON text of a page, of which a message holds as much as fits. */
async function* pageText(
  { offset, top }: Page,
  first: ListEventsResponse,
  list: (more: PartRequest) => Promise<ListEventsResponse>,
): AsyncGenerator<string | Uint8Array> {
  yield '{"items":[';
  let part = first;
  let sent = 0;
  for (;;) {
    const texts = part.items.flatMap((event, index) =>
      sent + index === 0 ? [eventText(event)] : [Buffer.from(','), eventText(event)],
    );
    yield Buffer.concat(texts);
    sent += part.items.length;
    const last = part.items.at(-1);
    if (!part.isCut || last === undefined) break;
    part = await list({ page: { offset: 0, top: top - sent }, after: last.id, withoutCount: true });
  }
  yield `],"totalCount":${first.totalCount},"offset":${offset},"top":${top}}`;
}
