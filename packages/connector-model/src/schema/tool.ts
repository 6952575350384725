import { z } from 'zod';
import { FILTER_OPERATORS } from '../enumerations.ts';
import { MAX_DESCRIPTION_LENGTH, MAX_TOOL_NAME_LENGTH } from '../limits.ts';
import { paging } from './paging.ts';
import { jsonObject } from './request.ts';

const fieldNames = z
  .array(z.string().min(1).max(200))
  .min(1)
  .max(500)
  .describe('Names of fields of the items, or ["*"] if only the vendor knows them (handlers only).');

const conditionQuery = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(100)
      .describe('Name of the query parameter, which is repeated for each condition or clause.'),
    value: z.string().min(1).max(500).describe('Value of the query parameter; a template.'),
  })
  .nullable()
  .default(null);

const filterSupport = z
  .strictObject({
    max: z.int().min(1).max(50).default(5).describe('How many conditions one call may have.'),
    fields: fieldNames,
    query: conditionQuery.describe(
      'How one condition is sent: a template over filter.field, filter.operator, filter.value (as text) and filter.json (as JSON). Null: a handler receives the conditions, or `byField` names their parameters.',
    ),
    byField: z
      .record(
        z.string().min(1).max(200),
        z.partialRecord(z.enum(FILTER_OPERATORS), z.string().min(1).max(100)),
      )
      .exactOptional()
      .describe(
        'In place of `query`, for vendors with a parameter for each condition: by field and operator the name of the query parameter, which takes the value. Other operators are refused.',
      ),
  })
  .describe('Which conditions the tool can apply.');

const sortSupport = z
  .strictObject({
    max: z.int().min(1).max(10).default(2).describe('How many clauses one call may have.'),
    fields: fieldNames,
    query: conditionQuery.describe(
      'How one clause is sent: a template over sort.field and sort.direction (asc, desc). Null: a handler receives the clauses.',
    ),
  })
  .describe('How the tool can sort.');

/** A tool slug: lower-case letters and digits with single separators. */
const toolSlug = z
  .string()
  .max(128)
  .regex(/^[a-z0-9]+(?:[-_.][a-z0-9]+)*$/, 'must be lower-case letters and digits, separated by - _ or .');

const oauthScope = z.string().min(1).max(500);

/** The common members of manifest tools and compiled tools. */
export const toolShape = {
  toolSlug: toolSlug.describe('Public id: <slug of the connector>-<verb>-<noun>. Its meaning never changes.'),
  aliases: z
    .array(toolSlug)
    .max(20)
    .default([])
    .describe('Former slugs of the tool, which still resolve to it. A renamed tool lists its old slug here.'),
  toolName: z.string().min(1).max(MAX_TOOL_NAME_LENGTH).describe('Name of the tool for people.'),
  description: z
    .string()
    .max(MAX_DESCRIPTION_LENGTH)
    .describe('What the tool does, for people and models; not how.'),
  category: z.string().max(100).describe('Heading under which the tool is listed.'),
  isDeprecated: z
    .boolean()
    .default(false)
    .describe('Whether the tool should no longer be used; it still works.'),
  inputSchema: jsonObject
    .default({ type: 'object', properties: {} })
    .describe('JSON Schema 2020-12 of the inputs, type object.'),
  outputSchema: jsonObject
    .default({ type: 'object', properties: {} })
    .describe('JSON Schema 2020-12 of the output, type object.'),
  retryClass: z
    .enum(['readOnly', 'idempotent', 'unsafe'])
    .describe('readOnly and idempotent calls are retried automatically after a temporary failure.'),
  isDestructive: z
    .boolean()
    .default(false)
    .describe('Whether the tool may remove or overwrite data that cannot be restored.'),
  scopes: z
    .array(
      z.union([
        oauthScope,
        z
          .array(oauthScope)
          .min(2)
          .max(20)
          .describe('Scopes of which any is enough; a sign-in asks for the first.'),
      ]),
    )
    .max(20)
    .exactOptional()
    .describe(
      'OAuth scopes that the tool needs, all of them; by default none. When a call fails, the message names those that were not granted.',
    ),
  filters: filterSupport.nullable().default(null),
  sorts: sortSupport.nullable().default(null),
  paging: paging.nullable().default(null),
};

/** The version of a connector or tool. */
export const semanticVersion = z
  .string()
  .max(64)
  .regex(/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/, 'must be a semantic version such as 1.4.0');
