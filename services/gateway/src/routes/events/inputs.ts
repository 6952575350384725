import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { EventFilterSchema } from '@fairlead/contracts/delivery/v1/event_service_pb';
import { create } from '@bufbuild/protobuf';
import { z } from 'zod';
import { instant, text } from '@fairlead/rest-kit/fields';
import { EVENT_DELIVERIES, namesOf } from '@fairlead/rest-records/enums';
import { destinationId, triggerId } from '../triggers/inputs.ts';

/** The id of an event, in a query. */
export const eventId = z
  .string()
  .regex(/^te_[0-9A-Za-z]{22}$/, 'must be the id of an event: te_ and 22 letters and digits');

/** The path parameters of one event. */
export const eventParams = z.object({ eventId: text(1, 100) });

/** The filters that select events. */
export const eventFilters = {
  triggerId,
  destinationId: destinationId.describe('One of the destinations of the event.'),
  delivery: z.enum(namesOf(EVENT_DELIVERIES)),
  from: instant.describe('Inclusive; of `occurred_at`.'),
  to: instant.describe('Exclusive; of `occurred_at`.'),
} as const;

/** Converts the filters to their message. */
export function eventFilter(o: {
  readonly triggerId?: string | undefined;
  readonly destinationId?: string | undefined;
  readonly delivery?: keyof typeof EVENT_DELIVERIES | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}) {
  const { triggerId, destinationId, delivery, from, to } = o;
  return create(EventFilterSchema, {
    ...(triggerId !== undefined && { triggerId }),
    ...(destinationId !== undefined && { destinationId }),
    ...(delivery !== undefined && { delivery: EVENT_DELIVERIES[delivery] }),
    ...(from !== undefined && { from: timestampFromDate(from) }),
    ...(to !== undefined && { to: timestampFromDate(to) }),
  });
}
