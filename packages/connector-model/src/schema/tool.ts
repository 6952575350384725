import { z } from 'zod';
import { MAX_DESCRIPTION_LENGTH, MAX_TOOL_NAME_LENGTH } from '../limits.ts';
import { jsonObject, jsonPointer } from './request.ts';

const fieldNames = z
  .array(z.string().min(1).max(200))
  .min(1)
  .max(500)
  .describe('Names of fields of the items, or ["*"] where only the vendor knows them (handlers only).');

const conditionQuery = z
  .strictObject({
    name: z.string().min(1).max(100).describe('Name of the query parameter, repeated for each one.'),
    value: z.string().min(1).max(500).describe('Value of the query parameter; a template.'),
  })
  .nullable()
  .default(null);

const filterSupport = z
  .strictObject({
    max: z.int().min(1).max(50).default(5).describe('How many conditions one call may have.'),
    fields: fieldNames,
    query: conditionQuery.describe(
      'How one condition is sent: a template over filter.field, filter.operator, filter.value (as text) and filter.json (as JSON). Null: a handler gets the conditions.',
    ),
  })
  .describe('Which conditions the tool can apply.');

const sortSupport = z
  .strictObject({
    max: z.int().min(1).max(10).default(2).describe('How many clauses one call may have.'),
    fields: fieldNames,
    query: conditionQuery.describe(
      'How one clause is sent: a template over sort.field and sort.direction (asc, desc). Null: a handler gets the clauses.',
    ),
  })
  .describe('Which orders the tool can apply.');

const maxTop = z.int().min(1).max(10_000).default(100).describe('Largest page the vendor gives.');
const pageSize = z.int().min(1).max(10_000).default(100).describe('Size of a page to ask the vendor for.');
const maxPages = z
  .int()
  .min(1)
  .max(1000)
  .default(100)
  .describe('Most pages of the vendor to walk in one call.');
const queryName = z.string().min(1).max(100);

const paging = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('offset').describe('The vendor takes an offset and a size.'),
      topQuery: queryName.describe('Query parameter of the size.'),
      offsetQuery: queryName.describe('Query parameter of the offset.'),
      maxTop,
    }),
    z.strictObject({
      type: z.literal('page').describe('The vendor takes a page number, from 1 on.'),
      sizeQuery: queryName.describe('Query parameter of the size.'),
      pageQuery: queryName.describe('Query parameter of the page number.'),
      pageSize,
      maxPages,
    }),
    z.strictObject({
      type: z.literal('cursor').describe("The vendor's answer names the next page."),
      sizeQuery: queryName
        .nullable()
        .default(null)
        .describe('Query parameter of the size; null: there is none.'),
      pageSize,
      cursorQuery: queryName.describe('Query parameter of the cursor.'),
      nextCursorPointer: jsonPointer.describe(
        'Where in the answer the next cursor is; none there ends the list.',
      ),
      maxPages,
    }),
    z.strictObject({
      type: z.literal('link').describe('The Link header of the answer names the next page (RFC 8288).'),
      sizeQuery: queryName
        .nullable()
        .default(null)
        .describe('Query parameter of the size; null: there is none.'),
      pageSize,
      maxPages,
    }),
    z.strictObject({ type: z.literal('handler').describe('The handler gets top and offset.'), maxTop }),
  ])
  .describe('How the vendor pages, so that top and offset work.');

/** A tool slug: lower-case letters and digits with single separators. */
const toolSlug = z
  .string()
  .max(128)
  .regex(/^[a-z0-9]+(?:[-_.][a-z0-9]+)*$/, 'must be lower-case letters and digits, separated by - _ or .');

/** What a manifest's tool and a compiled tool have in common. */
export const toolShape = {
  toolSlug: toolSlug.describe('Public id: <slug of the connector>-<verb>-<noun>. Its meaning never changes.'),
  toolName: z.string().min(1).max(MAX_TOOL_NAME_LENGTH).describe('Name of the tool for people.'),
  description: z
    .string()
    .max(MAX_DESCRIPTION_LENGTH)
    .describe('What the tool does, for people and models; not how.'),
  category: z.string().max(100).describe('Heading under which the tool is listed.'),
  isDeprecated: z.boolean().default(false).describe('Still works, but should not be used any more.'),
  inputSchema: jsonObject
    .default({ type: 'object', properties: {} })
    .describe('JSON Schema 2020-12 of the inputs, type object.'),
  outputSchema: jsonObject
    .default({ type: 'object', properties: {} })
    .describe('JSON Schema 2020-12 of the output, type object.'),
  retryClass: z
    .enum(['readOnly', 'idempotent', 'unsafe'])
    .describe('readOnly and idempotent calls are retried by themselves after a failure that may pass.'),
  isDestructive: z.boolean().default(false).describe('May remove or overwrite what cannot be brought back.'),
  filters: filterSupport.nullable().default(null),
  sorts: sortSupport.nullable().default(null),
  paging: paging.nullable().default(null),
};

/** Version of a connector or tool. */
export const semanticVersion = z
  .string()
  .max(64)
  .regex(/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/, 'must be a semantic version such as 1.4.0');
