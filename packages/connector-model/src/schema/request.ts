import { z } from 'zod';

/** A JSON object of any shape. */
export const jsonObject = z.record(z.string(), z.json());

/** A JSON pointer (RFC 6901); the empty one is the whole document. */
export const jsonPointer = z
  .string()
  .max(500)
  .regex(/^(?:\/(?:[^~/]|~[01])*)*$/, 'must be a JSON pointer such as /data/items')
  .describe('A JSON pointer (RFC 6901); the empty string is the whole document.');

/** An HTTP request with templates. */
export const httpRequestTemplate = z
  .strictObject({
    method: z
      .enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
      .default('GET')
      .describe('The HTTP method.'),
    url: z
      .string()
      .min(1)
      .max(2048)
      .describe('A path under `baseUrl`, beginning with "/", or an absolute URL. May hold templates.'),
    query: jsonObject
      .default({})
      .describe('Query parameters by name; one whose template is undefined is left out.'),
    headers: z
      .record(z.string(), z.string())
      .default({})
      .describe('Headers by name; one whose template is undefined is left out.'),
    body: z
      .json()
      .default(null)
      .describe('JSON body with templates in its strings; a member whose template is undefined is left out.'),
  })
  .describe('One HTTP request; strings may hold templates such as {{input.id}} or {{field.workspace}}.');

/** What of the vendor's answer becomes the output. */
export const responseMapping = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('object').describe('The output is the JSON body, or a part of it.'),
      pointer: jsonPointer.default('').describe('Where in the body the output is.'),
    }),
    z.strictObject({
      type: z.literal('list').describe('The output is {items, totalCount?}.'),
      itemsPointer: jsonPointer.describe('Where in the body the array of items is.'),
      totalPointer: jsonPointer
        .nullable()
        .default(null)
        .describe(
          'Where in the body the number of matching items over all pages is; null: the vendor does not say.',
        ),
    }),
    z.strictObject({
      type: z
        .literal('raw')
        .describe('The output is {status, headers, body} of the answer, whatever its status.'),
    }),
    z.strictObject({ type: z.literal('empty').describe('The output is {}.') }),
  ])
  .describe("What of the vendor's answer becomes the tool's output.");

/** A request whose items become the legal values of a field. */
export const dynamicOptions = z
  .strictObject({
    request: httpRequestTemplate.describe(
      'Asks the vendor for the legal values, with the fresh access token.',
    ),
    itemsPointer: jsonPointer.describe('Where in the answer the array of items is.'),
    valuePointer: jsonPointer.describe('Where in an item the value to save is.'),
    labelPointer: jsonPointer.describe('Where in an item the label for people is.'),
  })
  .describe('Discovers the legal values of a field during the sign-in.');
