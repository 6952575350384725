import { z } from 'zod';
import { isJson } from '../json.ts';
import type { JsonObject } from '../json.ts';

/**
 * A JSON object of any shape. It is no record schema, which would copy the object: thousands of names in a server's
 * schemas cost 100 ms.
 */
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

/** The form of a list or object in parameters; `a` is the parameter's name. */
export const valueStyle = z
  .enum(['repeat', 'comma', 'space', 'pipe', 'brackets', 'indices', 'members', 'json'])
  .describe(
    'repeat: a=1&a=2. comma, space, pipe: a=1,2 with that separator. brackets: a[]=1&a[]=2, and a[key]=1 of an object (deepObject of OpenAPI). indices: a[0]=1&a[1]=2, and a[key]=1. members: each member of an object is a parameter of its own. json: the JSON text of a list or an object.',
  );

/** The encoding of a request's body. */
export const bodyEncoding = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('json').describe('JSON.') }),
    z.strictObject({
      type: z.literal('form').describe('application/x-www-form-urlencoded; the body is an object.'),
      style: valueStyle.default('repeat').describe('How lists and objects in it are written.'),
    }),
    z.strictObject({
      type: z
        .literal('multipart')
        .describe(
          'multipart/form-data; the body is an object. An input of format file becomes a file part, a list one part an item.',
        ),
    }),
    z.strictObject({
      type: z
        .literal('raw')
        .describe('The body is one template: a text, or an input of format file, whose bytes are sent.'),
      contentType: z
        .string()
        .max(100)
        .regex(/^[a-z]+\/[a-z0-9.+-]+(?:; ?[a-z]+=[A-Za-z0-9-]+)?$/, 'must be a media type')
        .nullable()
        .default(null)
        .describe('Content type of the body; null: that of the file, or text/plain.'),
    }),
  ])
  .describe('How the body is written.');

/** A GraphQL operation as a request body. */
const graphqlOperation = z
  .strictObject({
    query: z
      .string()
      .min(1)
      .max(20_000)
      .describe('The document, with one operation. It is sent as it is: values belong in `variables`.'),
    variables: jsonObject
      .default({})
      .describe(
        'Variables by name, without the $; one whose template is undefined is omitted, as is an object with no other members.',
      ),
  })
  .describe(
    'A GraphQL operation, in place of `body`. A response with `errors` is a failure with the message of the first.',
  );

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
    queryStyles: z
      .record(z.string(), valueStyle)
      .exactOptional()
      .describe('How lists and objects of a query parameter are written, by its name; by default repeat.'),
    headers: z
      .record(z.string(), z.string())
      .default({})
      .describe('Headers by name; one whose template is undefined is omitted.'),
    body: z
      .json()
      .default(null)
      .describe(
        'Body with templates in its strings; a member whose template is undefined is omitted, as is an object with no other members.',
      ),
    encoding: bodyEncoding.exactOptional().describe('How the body is written; by default as JSON.'),
    graphql: graphqlOperation.exactOptional(),
    followsElsewhere: z
      .boolean()
      .exactOptional()
      .describe(
        'Whether a redirect to another origin is followed, without the credential, such as to the storage of a download; by default it is a failure.',
      ),
  })
  .describe('One HTTP request; strings may hold templates such as {{input.id}} or {{field.workspace}}.');

const isTrimmed = z
  .boolean()
  .exactOptional()
  .describe('Whether the output keeps only the properties that outputSchema declares; by default all.');

/** The part of the vendor's response that becomes the output. */
export const responseMapping = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z
        .literal('object')
        .describe('The output is the JSON body, or a part of it; of a binary body, that of `raw`.'),
      pointer: jsonPointer.default('').describe('Position of the output in the body.'),
      errorsPointer: jsonPointer
        .exactOptional()
        .describe(
          'Position in the body of a list of errors, each with a `message`, beside the status 2xx: the call failed if it has any.',
        ),
      isTrimmed,
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
      isTrimmed,
      isOmittedWhenEmpty: z
        .boolean()
        .exactOptional()
        .describe(
          'Whether the vendor leaves out a list that has no items; by default a missing list is an error.',
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

/** A request whose items become a field's valid values. */
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
