import { z } from 'zod';
import { isJson } from '../json.ts';
import type { JsonObject } from '../model.ts';

/** A JSON object of any shape. Not a record, which would copy it: thousands of names in a server's schemas cost 100 ms. */
export const jsonObject: z.ZodType<JsonObject> = z
  .any()
  .refine((value) => typeof value === 'object' && value !== null && !Array.isArray(value) && isJson(value), {
    error: 'must be a JSON object',
  })
  .meta({ type: 'object', additionalProperties: {} });

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
      .describe('Query parameters by name; one whose template is undefined is omitted.'),
    headers: z
      .record(z.string(), z.string())
      .default({})
      .describe('Headers by name; one whose template is undefined is omitted.'),
    body: z
      .json()
      .default(null)
      .describe('JSON body with templates in its strings; a member whose template is undefined is omitted.'),
  })
  .describe('One HTTP request; strings may hold templates such as {{input.id}} or {{field.workspace}}.');

/** Which part of the vendor's response becomes the output. */
export const responseMapping = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z
        .literal('object')
        .describe('The output is the JSON body, or a part of it; of a binary body, that of `raw`.'),
      pointer: jsonPointer.default('').describe('Position of the output in the body.'),
    }),
    z.strictObject({
      type: z.literal('list').describe('The output is {items, totalCount?}.'),
      itemsPointer: jsonPointer.describe('Position of the array of items in the body.'),
      totalPointer: jsonPointer
        .nullable()
        .default(null)
        .describe(
          'Position in the body of the number of matches over all pages; null: the vendor does not state it.',
        ),
    }),
    z.strictObject({
      type: z
        .literal('raw')
        .describe(
          'The output is {status, headers, body} of the response, whatever its status; a binary body becomes a file.',
        ),
    }),
    z.strictObject({ type: z.literal('empty').describe('The output is {}.') }),
  ])
  .describe("Which part of the vendor's response becomes the tool's output.");

/** A request whose items become the valid values of a field. */
export const dynamicOptions = z
  .strictObject({
    request: httpRequestTemplate.describe(
      'Requests the valid values from the vendor, with the new access token.',
    ),
    itemsPointer: jsonPointer.describe('Position of the array of items in the response.'),
    valuePointer: jsonPointer.describe('Position of the value to save in an item.'),
    labelPointer: jsonPointer.describe('Position of the label for people in an item.'),
  })
  .describe('Discovers the valid values of a field during the sign-in.');
