import { z } from 'zod';
import { passedObject, recordId, slug, text } from '@fairlead/rest-kit/fields';

const MAX_DESTINATIONS = 50;
const MAX_FILTER = 4096;

/** The path parameters of one trigger. */
export const triggerParams = z.object({ triggerId: text(1, 100) });

/** The id of a trigger, in a query or body. */
export const triggerId = z
  .string()
  .regex(/^trg_[0-9A-Za-z]{1,64}$/, 'must be the id of a trigger: trg_ and letters and digits');

/** The id of a destination, in a query or body. */
export const destinationId = z
  .string()
  .regex(/^dst_[0-9A-Za-z]{1,64}$/, 'must be the id of a destination: dst_ and letters and digits');

/** The members of a trigger in a request. */
export const triggerMembers = {
  name: text(1, 200),
  triggerTypeSlug: slug.describe('See GET /v1/triggers/types.'),
  connectionId: recordId
    .nullable()
    .describe('A connection of the type’s application. Types that need none get one from the server.'),
  configuration: passedObject.describe('Matches the type’s `configSchema`.'),
  filter: text(1, MAX_FILTER)
    .nullable()
    .describe(
      'JSONata over the payload: only a firing for which it is true becomes an event. Null: every one.',
    ),
  destinationIds: z
    .array(destinationId)
    .max(MAX_DESTINATIONS)
    .describe('Where events go; duplicates fold. A test goes to the first one.'),
  isEnabled: z.boolean(),
} as const;
