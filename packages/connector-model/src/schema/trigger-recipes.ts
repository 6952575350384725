import { z } from 'zod';
import { handlerName } from './authentication.ts';
import { safePaging } from './paging.ts';
import { httpRequestTemplate, jsonPointer } from './request.ts';

const headerName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header')
  .transform((name) => name.toLowerCase());

const itemsPointer = jsonPointer.describe('Position of the array of items in the response.');

/** A poll by HTTP requests. */
const pollByRequests = z
  .strictObject({
    request: httpRequestTemplate.describe(
      'Lists the items that are not older than {{cursor.since}}, the oldest first. Without that value: all items. {{cursor.sinceSeconds}} and {{cursor.sinceMilliseconds}} are the same time since 1970.',
    ),
    isNewestFirst: z
      .boolean()
      .exactOptional()
      .describe(
        'Whether the vendor can only list the newest item first. Each poll then reads the list to its end.',
      ),
    paging: safePaging,
    itemsPointer,
    isOmittedWhenEmpty: z
      .boolean()
      .exactOptional()
      .describe(
        'Whether the vendor leaves out a list that has no items; by default a missing list is an error.',
      ),
    idPointer: jsonPointer.describe('Position of the id in an item.'),
    timePointer: jsonPointer.describe(
      'Position in an item of the time, ISO 8601, by which the list is ordered; UTC without a zone. An item fires once for each time.',
    ),
    timeUnit: z
      .enum(['seconds', 'milliseconds'])
      .exactOptional()
      .describe('For times that are numbers since 1970, or such numbers as text: their unit.'),
    isTimeOptional: z
      .boolean()
      .exactOptional()
      .describe(
        'Whether an item may have no time, such as a deleted one of which the vendor tells the id only; it is passed over.',
      ),
    newest: httpRequestTemplate
      .exactOptional()
      .describe(
        'A list whose first item is the newest one. It tells where a new trigger starts; by default it starts now.',
      ),
    overlapSeconds: z
      .int()
      .min(0)
      .max(3600)
      .default(60)
      .describe(
        'How late after its time an item may appear in the list. So much is read again by every poll.',
      ),
  })
  .describe('How the application is asked what is new.');

/** A poll by a handler. */
const pollByHandler = z
  .strictObject({
    handler: handlerName.describe(
      "A function in the connector's handlers.ts, which gets the configuration, `now` and the cursor, and returns the new items and the next cursor; without a cursor, the one to start from.",
    ),
  })
  .describe('A function that reads what is new.');

export const pollRecipe = z.union([pollByRequests, pollByHandler]);

/** The recipe for registering a webhook and reading its calls. */
export const webhookRecipe = z
  .strictObject({
    register: z
      .strictObject({
        request: httpRequestTemplate.describe(
          'Registers {{webhook.url}}; its calls are to be signed with {{webhook.secret}}.',
        ),
        idPointer: jsonPointer.describe("Position of the registration's id in the response."),
      })
      .describe('Begins a registration.'),
    list: z
      .strictObject({
        request: httpRequestTemplate.describe('Lists what is registered.'),
        paging: safePaging.nullable().default(null),
        itemsPointer,
        idPointer: jsonPointer.describe('Position of the id in an item.'),
        urlPointer: jsonPointer.describe('Position in an item of the address that is called.'),
      })
      .describe('Finds registrations whose answer was lost.'),
    // Deletes the registration; a 404 means that it is already deleted.
    remove: z
      .strictObject({ request: httpRequestTemplate.describe('Ends the registration {{webhook.id}}.') })
      .describe('Ends a registration.'),
    signature: z
      .strictObject({
        header: headerName.describe('Header with the signature.'),
        prefix: z.string().max(50).default('').describe('What precedes the digest in it, such as sha256=.'),
        encoding: z.enum(['hex', 'base64']).default('hex').describe('How the digest is written.'),
        timestampHeader: headerName
          .nullable()
          .default(null)
          .describe(
            'Header with the Unix seconds of the call, if <timestamp>.<body> is signed; null: the body alone is.',
          ),
      })
      .describe('The HMAC-SHA256 of every call, keyed with the secret of the registration.'),
    deliveryIdPointer: jsonPointer.describe(
      'Position in the body of the id of what is reported; the same in every attempt.',
    ),
    occurredAtPointer: jsonPointer
      .nullable()
      .default(null)
      .describe('Position in the body of the time at which it happened, ISO 8601; null: there is none.'),
    payloadPointer: jsonPointer.default('').describe('Position of the payload in the body.'),
  })
  .describe('How the application is told where to call, and how its calls are proved and read.');
