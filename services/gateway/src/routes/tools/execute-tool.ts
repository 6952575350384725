import { DIRECTION_VALUES, OPERATOR_VALUES } from '@fairlead/connector-model/proto-enums';
import { membersOf } from '@fairlead/service-kit/json/json-members';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import { z } from 'zod';
import { guidText, passedObject, passedValue, recordId, slug } from '@fairlead/rest-kit/fields';
import { namesOf } from '@fairlead/rest-records/enums';
import { executionResult, presentResult } from '@fairlead/rest-records/execution';
import { schemaProfile } from '@fairlead/rest-records/tool';
import { endUserId } from '../connect-sessions/inputs.ts';
import { defineRoute } from '../define-route.ts';

/** Far more than any tool accepts; the tools service checks the tool's own limits. */
const MAX_CLAUSES = 100;
/** The limit of the tools service. */
const MAX_PATH_LENGTH = 200;

const body = z
  .object({
    fields: passedObject.default({}).describe('The tool’s inputs, according to its inputSchema.'),
    filters: z
      .array(
        z.object({
          field: z.string().min(1),
          operator: z.enum(namesOf(OPERATOR_VALUES)),
          value: passedValue,
        }),
      )
      .max(MAX_CLAUSES)
      .default([])
      .describe(
        'All filters must match. Text is literal and case-sensitive; the value of isNull is true or false.',
      ),
    sorts: z
      .array(z.object({ field: z.string().min(1), direction: z.enum(namesOf(DIRECTION_VALUES)) }))
      .max(MAX_CLAUSES)
      .default([]),
    top: z.int32().min(1).max(100).optional(),
    offset: z.int32().min(0).optional(),
    outputFields: z
      .array(
        z
          .string()
          .max(MAX_PATH_LENGTH)
          .regex(/^[^.]+(?:\.[^.]+)*$/, 'must be names separated by dots'),
      )
      .max(MAX_CLAUSES)
      .default([])
      .describe(
        'Paths of the output to return, such as `items.name`: names of members separated by dots, an array standing for each of its ' +
          'items. Members that the output does not have are left out. Empty: all of it. The history keeps all of it.',
      ),
  })
  .meta({ id: 'ExecuteToolRequest' });

export const executeTool = defineRoute(
  {
    operationId: 'executeTool',
    method: 'post',
    path: '/v1/tools/{toolSlug}/execute',
    tags: ['Tools'],
    summary: 'Execute a tool',
    description:
      'Branch on `isSuccess`: a failure at the vendor is a 200 with isSuccess false and errorMessage. The connection is ' +
      'the named one, otherwise the toolset’s, otherwise the account’s default for the application. With `toolsetId` only tools and connections of that toolset are used. ' +
      'While the vendor limits the connection (429, or its own headers), calls wait within their deadline; one that cannot is a 200 with ' +
      'isSuccess false, `attempts` 0 and an errorMessage that says until when: nothing was sent. ' +
      'A call of one tool ends within 30 seconds, unless the installation says otherwise; one with `toolsetId` may run a workflow, which takes up to 5 minutes: let your client wait for 6. ' +
      'A run goes on when its caller leaves; the history shows how it ends.',
    services: ['executions'],
    permission: 'tools.execute',
    toolsetKeys: 'any',
    callsApplication: true,
    longWith: 'toolsetId',
    // Not audited: the execution history records it.
    audit: 'none',
    params: z.object({ toolSlug: slug }),
    resource: 'tool',
    query: z.strictObject({
      connectionId: recordId.optional(),
      toolsetId: guidText.optional(),
      applicationSlug: slug
        .optional()
        .describe('Required if several applications have a tool with this slug.'),
      endUserId: endUserId
        .optional()
        .describe(
          'A customer of your product: the customer’s connection is used, never the account’s default.',
        ),
      schemaProfile: schemaProfile.describe(
        'The dialect in which a model made `fields`: that of the schema which it was given.',
      ),
      approvalId: guidText
        .optional()
        .describe(
          'The approval of this call, where the policy of its toolset demands one. It is used once. A file input by `url` is what was ' +
            'fetched when the approval was requested; if the account has no room to keep that, the request is 409 CONFLICT.',
        ),
      dryRun: z
        .boolean()
        .default(false)
        .describe('Returns what would be sent, with secrets masked, and sends nothing.'),
    }),
    body,
    passesOn: ['fields.*', 'filters.*.value'],
    response: executionResult,
    errors: [
      'WRONG_APPLICATION',
      'CONNECTION_BLOCKED',
      'TOOL_NOT_IN_TOOLSET',
      'CONNECTION_NOT_IN_TOOLSET',
      'AMBIGUOUS_TOOL',
      'NO_DEFAULT_CONNECTION',
      'NO_TOOLSET_CONNECTION',
      'APPROVAL_REQUIRED',
      // CONFLICT: the account has no storage left for a file that an approval keeps.
      'CONFLICT',
    ],
  },
  async ({ ctx, params, query, body: sent, services }) => {
    const result = await services.executions.executeTool(ctx, {
      toolSlug: params.toolSlug,
      applicationSlug: query.applicationSlug ?? '',
      dryRun: query.dryRun,
      schemaProfile: query.schemaProfile ?? '',
      fieldsJson: membersOf(sent.fields),
      filters: sent.filters.map(({ field, operator, value }) => ({
        field,
        operator: OPERATOR_VALUES[operator],
        valueJson: jsonBytes(value),
      })),
      sorts: sent.sorts.map(({ field, direction }) => ({ field, direction: DIRECTION_VALUES[direction] })),
      outputFields: sent.outputFields,
      ...(query.connectionId !== undefined && { connectionId: query.connectionId }),
      ...(query.toolsetId !== undefined && { toolsetId: query.toolsetId }),
      ...(query.endUserId !== undefined && { endUserId: query.endUserId }),
      ...(query.approvalId !== undefined && { approvalId: query.approvalId }),
      ...(sent.top !== undefined && { top: sent.top }),
      ...(sent.offset !== undefined && { offset: sent.offset }),
    });
    return presentResult(result);
  },
);
