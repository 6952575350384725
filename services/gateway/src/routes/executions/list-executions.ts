import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { z } from 'zod';
import { instant, recordId, slug } from '@fairlead/rest-kit/fields';
import { executionRecord, historyId, presentExecution } from '@fairlead/rest-records/execution';
import { defineRoute } from '../define-route.ts';
import { wholePage } from '../whole-page.ts';

/** GET /v1/executions */
export const listExecutions = defineRoute(
  {
    operationId: 'listExecutions',
    method: 'get',
    path: '/v1/executions',
    tags: ['Tools'],
    summary: 'List executions',
    description:
      'The history of the account’s tool executions, newest first. It is kept for 90 days. To read far, pass the `historyId` of ' +
      'the last item as `after` for the next page, until a page’s `offset` and its number of items reach `totalCount`.',
    auth: 'credential',
    services: ['executions'],
    permission: 'tools.read',
    toolsetKeys: 'any',
    query: z.object({
      toolSlug: slug.optional(),
      connectionId: recordId.optional(),
      isSuccess: z.boolean().optional(),
      from: instant.optional().describe('Inclusive.'),
      to: instant.optional().describe('Exclusive.'),
      after: historyId
        .optional()
        .describe(
          'A `historyId`: only the executions older than it are listed and counted in `totalCount`, and `offset` counts from it. ' +
            'One that the account does not have gives an empty page.',
        ),
    }),
    page: { defaultTop: 100 },
    response: executionRecord,
    errors: [],
  },
  ({ query, services, ...call }) => {
    const { toolSlug, connectionId, isSuccess, from, to, after } = query;
    const filter = {
      ...(toolSlug !== undefined && { toolSlug }),
      ...(connectionId !== undefined && { connectionId }),
      ...(isSuccess !== undefined && { isSuccess }),
      ...(from !== undefined && { from: timestampFromDate(from) }),
      ...(to !== undefined && { to: timestampFromDate(to) }),
      ...(after !== undefined && { after: BigInt(after) }),
    };
    return wholePage(
      call,
      (ctx, page) => services.executions.listExecutions(ctx, { page, ...filter }),
      presentExecution,
    );
  },
);
