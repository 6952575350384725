import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import { z } from 'zod';
import { boundedRecord, passedValue, text } from '@fairlead/rest-kit/fields';
import { executionResult, presentResult } from '@fairlead/rest-records/execution';
import { defineRoute } from '../define-route.ts';
import { connectionParams } from './inputs.ts';

const MAX_PATH_LENGTH = 8_192;
const MAX_MEMBERS = 200;
const queryValue = z.union([z.string(), z.number(), z.boolean()]);

const body = z
  .object({
    method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']).default('GET'),
    path: text(1, MAX_PATH_LENGTH).describe(
      'Relative to the application’s base URL, or a whole URL below it. The segments `.` and `..`, backslashes and spaces are refused, however they are encoded.',
    ),
    query: boundedRecord(z.union([queryValue, z.array(queryValue).max(MAX_MEMBERS)]), MAX_MEMBERS)
      .default({})
      .describe('Query parameters by name. A list sends the parameter once for each value.'),
    headers: boundedRecord(z.string(), MAX_MEMBERS)
      .default({})
      .describe('Headers by name. The headers that carry the credential cannot be replaced.'),
    body: passedValue
      .optional()
      .describe('A string is sent as it is, anything else as JSON; a content-type header takes precedence.'),
  })
  .meta({ id: 'SendRequestRequest' });

export const sendRequest = defineRoute(
  {
    operationId: 'sendRequest',
    method: 'post',
    path: '/v1/connections/{connectionId}/request',
    tags: ['Connections'],
    summary: 'Send a request to the application’s API',
    description:
      'Calls the vendor’s API with the connection’s credential, only below the application’s own base URL. The result is that ' +
      'of a tool execution, with the tool slug `<applicationSlug>-request`, and recorded as one: `output` holds status, headers ' +
      'and body of the response, a redirect included, which is never followed. A status of 400 or more is isSuccess false.',
    services: ['executions'],
    permission: 'tools.execute',
    callsApplication: true,
    // Not audited: the execution history records it.
    audit: 'none',
    params: connectionParams,
    resource: 'connection',
    query: z.strictObject({
      dryRun: z
        .boolean()
        .default(false)
        .describe('Returns what would be sent, with secrets masked, and sends nothing.'),
    }),
    body,
    passesOn: ['body'],
    response: executionResult,
    errors: ['CONNECTION_BLOCKED'],
  },
  async ({ ctx, params, query: { dryRun }, body: sent, services }) => {
    const { method, path, query, headers } = sent;
    const result = await services.executions.sendRequest(ctx, {
      connectionId: params.connectionId,
      method,
      path,
      queryJson: jsonBytes(query),
      headers,
      dryRun,
      ...(sent.body !== undefined && { bodyJson: jsonBytes(sent.body) }),
    });
    return presentResult(result);
  },
);
