import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ExecutionSchema, ExecutionSource } from '@fairlead/contracts/tools/v1/execution_pb';
import {
  ExecutionService,
  FilterOperator,
  SortDirection,
} from '@fairlead/contracts/tools/v1/execution_service_pb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call } from '@fairlead/rest-kit/testing/edge';
import { startGatewayEdge } from '../testing/edge.ts';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { MADE_AT, executionInfoMessage } from '@fairlead/rest-records/testing/messages';
import { startRemote } from '../testing/remote.ts';
import { routeTable } from './route-table.ts';

const AT = timestampFromDate(new Date(MADE_AT));
const EXECUTE = '/v1/tools/sandbox-crm-list-contacts/execute';
const LARGEST_ID = 9007199254740991n;

const info = executionInfoMessage();

let asked: Record<string, unknown> = {};
let leftMs = 0;
let edge: TestEdge;
let close: () => Promise<void>;

beforeAll(async () => {
  const remote = await startRemote((router) =>
    router.service(ExecutionService, {
      executeTool(request, { timeoutMs }) {
        asked = { ...request };
        leftMs = timeoutMs() ?? Infinity;
        if (request.dryRun)
          return {
            isSuccess: true,
            outputJson: Buffer.from('{"url":"…"}'),
            // The response of a tools service of the previous release.
            info: {
              ...info,
              connectionId: undefined,
              userId: undefined,
              source: ExecutionSource.UNSPECIFIED,
              mcpServerName: undefined,
            },
          };
        return request.fieldsJson['fail'] !== undefined
          ? { isSuccess: false, errorMessage: 'The vendor said no.', historyId: 7n, info }
          : { isSuccess: true, outputJson: Buffer.from('{"items":[]}'), historyId: LARGEST_ID, info };
      },
      listExecutions(request) {
        asked = { ...request };
        return { items: [], totalCount: 0 };
      },
      getExecution: ({ historyId }) => ({
        execution: create(ExecutionSchema, {
          historyId,
          isSuccess: true,
          outputJson: Buffer.from('{"a":1}'),
          fieldsJson: Buffer.from('{"b":2}'),
          info,
          createdAt: AT,
          updatedAt: AT,
        }),
      }),
    }),
  );
  edge = await startGatewayEdge({ routes: routeTable, services: remote.services, longTimeoutMs: 60_000 });
  close = async () => {
    await edge.close();
    await remote.close();
  };
});
afterAll(() => close());
beforeEach(() => {
  asked = {};
});

describe('execute', () => {
  test('with a toolset it may run a workflow, and has more time', async () => {
    await call(edge, 'POST', EXECUTE, { json: {} });
    expect(leftMs).toBeLessThanOrEqual(5_000);
    await call(edge, 'POST', `${EXECUTE}?toolsetId=${crypto.randomUUID()}`, { json: {} });
    expect(leftMs).toBeGreaterThan(30_000);
  });

  test('a success carries output, history id and how it ran, and no error message', async () => {
    const { status, body } = await call(edge, 'POST', `${EXECUTE}?connectionId=4&endUserId=customer-1`, {
      json: { fields: { top: 1 } },
    });
    expect(status).toBe(200);
    expect(JSON.parse(String(body['text']))).toEqual({
      isSuccess: true,
      output: { items: [] },
      historyId: Number(LARGEST_ID),
      executionInfo: {
        startedAt: '2026-01-02T03:04:05.006Z',
        durationMs: 12,
        connectionId: 4,
        connectionResolution: 'default',
        applicationSlug: 'sandbox-crm',
        toolSlug: 'sandbox-crm-list-contacts',
        toolVersion: '1.0.0',
        attempts: 1,
        userId: 'usr_1',
        source: 'mcp',
        mcpServerName: 'Support',
      },
    });
    expect(asked).toMatchObject({
      toolSlug: 'sandbox-crm-list-contacts',
      connectionId: 4,
      endUserId: 'customer-1',
      fieldsJson: { top: Buffer.from('1') },
      dryRun: false,
    });
    expect(asked['toolsetId']).toBeUndefined();
  });

  test('a failure at the vendor is a 200 with its message', async () => {
    const { status, body } = await call(edge, 'POST', EXECUTE, { json: { fields: { fail: true } } });
    expect([status, body['isSuccess'], body['errorMessage'], body['output']]).toEqual([
      200,
      false,
      'The vendor said no.',
      {},
    ]);
  });

  test('a dry run has no history id', async () => {
    const { body } = await call(edge, 'POST', `${EXECUTE}?dryRun=true`, { json: {} });
    expect(body['historyId']).toBeNull();
    expect(body['executionInfo']).toMatchObject({
      connectionId: null,
      userId: null,
      source: 'rest',
      mcpServerName: null,
    });
    expect(asked['dryRun']).toBe(true);
  });

  test('absent fields are {}, and an absent body is MALFORMED_BODY', async () => {
    expect((await call(edge, 'POST', EXECUTE, { json: {} })).status).toBe(200);
    expect(asked['fieldsJson']).toEqual({});
    const refused = await call(edge, 'POST', EXECUTE, {});
    expect(refused).toMatchObject({ status: 400, body: { errorCode: 'MALFORMED_BODY' } });
  });

  test('filters, sorts and page are handed on with any JSON as value', async () => {
    const json = {
      filters: [
        { field: 'company', operator: 'in', value: ['a', 1, null] },
        { field: 'phone', operator: 'isNull', value: true },
        { field: 'name', operator: 'eq', value: null },
      ],
      sorts: [{ field: 'name', direction: 'desc' }],
      top: 5,
      offset: 10,
      outputFields: ['items.name'],
    };
    expect((await call(edge, 'POST', EXECUTE, { json })).status).toBe(200);
    expect(asked).toMatchObject({
      filters: [
        { field: 'company', operator: FilterOperator.IN, valueJson: Buffer.from('["a",1,null]') },
        {
          field: 'phone',
          operator: FilterOperator.IS_NULL,
          valueJson: Buffer.from('true'),
        },
        { field: 'name', operator: FilterOperator.EQ, valueJson: Buffer.from('null') },
      ],
      sorts: [{ field: 'name', direction: SortDirection.DESC }],
      top: 5,
      offset: 10,
      outputFields: ['items.name'],
    });
  });

  test.each([
    [
      {
        filters: [
          { field: 'a', operator: 'eq', value: 1 },
          { field: 'a', operator: 'like', value: 1 },
        ],
      },
      'INVALID_ENUM_VALUE',
      'filters[1].operator',
    ],
    [{ sorts: [{ field: 'a', direction: 'up' }] }, 'INVALID_ENUM_VALUE', 'sorts[0].direction'],
    [{ sorts: [{ direction: 'asc' }] }, 'VALIDATION_ERROR', 'sorts[0].field'],
    [{ filters: [{ field: 'a', operator: 'eq' }] }, 'VALIDATION_ERROR', 'filters[0].value'],
    [{ filters: [{ field: 'a', operator: 5, value: 1 }] }, 'VALIDATION_ERROR', 'filters[0].operator'],
    [{ filters: {} }, 'VALIDATION_ERROR', 'filters'],
    [{ fields: [] }, 'VALIDATION_ERROR', 'fields'],
    [{ fields: 'x' }, 'VALIDATION_ERROR', 'fields'],
    [{ top: 0 }, 'VALIDATION_ERROR', 'top'],
    [{ top: 101 }, 'VALIDATION_ERROR', 'top'],
    [{ top: '5' }, 'VALIDATION_ERROR', 'top'],
    [{ offset: -1 }, 'VALIDATION_ERROR', 'offset'],
    [{ offset: 1.5 }, 'VALIDATION_ERROR', 'offset'],
  ])('the body %j is %s for %s', async (json, errorCode, field) => {
    const { status, body } = await call(edge, 'POST', EXECUTE, { json });
    expect(status).toBe(400);
    expect(body).toMatchObject({ errorCode, details: [{ field }] });
    expect(asked).toEqual({});
  });

  test('a string in place of an integer is reported with its field', async () => {
    const { body } = await call(edge, 'POST', EXECUTE, { json: { top: '5' } });
    expect(body['details']).toEqual([{ field: 'top', issue: 'must be an integer' }]);
  });

  test('a wrong operator is answered with the accepted ones', async () => {
    const { body } = await call(edge, 'POST', EXECUTE, {
      json: { filters: [{ field: 'a', operator: 'like', value: 1 }] },
    });
    expect(body['message']).toContain('eq, ne, gt, gte, lt, lte, in, contains, startsWith, isNull');
  });

  test.each([
    'connectionId=0',
    'connectionId=-1',
    'connectionId=',
    'connectionId=2147483648',
    'connectionId=1x',
    'toolsetId=x',
    'dryRun=1',
    'applicationSlug=',
  ])('the query %s is a VALIDATION_ERROR', async (query) => {
    const { body } = await call(edge, 'POST', `${EXECUTE}?${query}`, { json: {} });
    expect(body).toMatchObject({ errorCode: 'VALIDATION_ERROR', details: [{ field: query.split('=')[0] }] });
  });
});

describe('history', () => {
  test('filters are handed on: from inclusive, to exclusive, with any offset', async () => {
    const query =
      'toolSlug=a&connectionId=3&isSuccess=false&from=2026-01-01T00:00:00Z&to=2026-01-01T02:00:00.5%2B02:00';
    expect((await call(edge, 'GET', `/v1/executions?${query}`)).status).toBe(200);
    expect(asked).toMatchObject({
      page: { offset: 0, top: 100 },
      toolSlug: 'a',
      connectionId: 3,
      isSuccess: false,
      from: { seconds: 1767225600n },
      to: { seconds: 1767225600n, nanos: 500_000_000 },
    });
  });

  test.each([
    'from=yesterday',
    'from=2026-01-01',
    'to=2026-02-30T00:00:00Z',
    'isSuccess=2',
    'connectionId=0',
    'after=0',
    'after=-1',
    'after=abc',
    'after=1.5',
    'after=9007199254740992',
  ])('%s is a VALIDATION_ERROR', async (query) => {
    const { body } = await call(edge, 'GET', `/v1/executions?${query}`);
    expect(body).toMatchObject({ errorCode: 'VALIDATION_ERROR', details: [{ field: query.split('=')[0] }] });
  });

  test('the rows after one are requested by its id', async () => {
    expect((await call(edge, 'GET', `/v1/executions?after=${LARGEST_ID}`)).status).toBe(200);
    expect(asked['after']).toBe(LARGEST_ID);
  });

  test('a row shows what was sent and what came of it', async () => {
    const { body } = await call(edge, 'GET', `/v1/executions/${LARGEST_ID}`);
    expect(body).toMatchObject({
      historyId: Number(LARGEST_ID),
      toolSlug: 'sandbox-crm-list-contacts',
      applicationSlug: 'sandbox-crm',
      connectionId: 4,
      isSuccess: true,
      errorMessage: null,
      fields: { b: 2 },
      output: { a: 1 },
      createdAt: '2026-01-02T03:04:05.006Z',
    });
  });

  test.each(['0', 'abc', '9007199254740992'])('the id %s is the 404 of an unknown execution', async (id) => {
    const { status, body } = await call(edge, 'GET', `/v1/executions/${id}`);
    expect([status, body['message']]).toEqual([404, 'The execution does not exist.']);
  });
});
