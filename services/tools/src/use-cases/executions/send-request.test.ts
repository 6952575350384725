import type { ConnectorHead } from '@fairlead/connector-model/model';
import type { Preview, ToolCall } from '@fairlead/connector-runtime/call';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { expect, test } from 'vitest';
import { connectorHead, toolDefinition } from '../../testing/fixtures.ts';
import { noFiles } from '../../testing/files.ts';
import {
  catalogOf,
  connection,
  connectionsOf,
  MemoryHistory,
  maskingInPlace,
  platformSchemas,
} from '../../testing/tool-calls.ts';
import { withoutToolsets } from '../../testing/toolsets.ts';
import { sendRequest } from './send-request.ts';
import type { VendorRequest } from './send-request.ts';

const SECRET = 'sk-live-123';

interface World {
  connector?: Partial<ConnectorHead>;
  isLicensed?: boolean;
  preview?: Preview;
}

function world(o: World = {}) {
  const ctx = testContext({ accountId: 'acc_1' });
  const calls: ToolCall[] = [];
  const history = new MemoryHistory();
  const credential = { version: 1, fields: { apiToken: SECRET }, secrets: [SECRET] };
  const deps = {
    ...withoutToolsets,
    catalog: catalogOf(toolDefinition(), connectorHead(o.connector)),
    connections: connectionsOf(connection({ isLicensed: o.isLicensed ?? true }), {
      kind: 'credential' as const,
      credential,
    }),
    runtime: {
      execute(call: ToolCall) {
        calls.push(call);
        const output = { status: 200, headers: {}, body: `seen ${SECRET}` };
        return Promise.resolve({ isSuccess: true as const, output, attempts: 1 });
      },
      preview: (): Preview =>
        o.preview ?? { type: 'http', method: 'GET', url: 'http://vendor.test/x', headers: {}, body: null },
    },
    history,
    schemas: platformSchemas(ctx.log),
    outputMasker: maskingInPlace,
    ...noFiles,
    checkPermits: onePermit(),
    permits: onePermit(),
    clock: new ManualClock(new Date('2026-11-22T10:00:00.000Z')),
    timeoutMs: 30_000,
  };
  const send = (request: Partial<VendorRequest> = {}) =>
    sendRequest(deps, ctx, {
      connectionId: 7,
      method: 'GET',
      path: '/x',
      query: {},
      headers: {},
      body: undefined,
      dryRun: false,
      ...request,
    });
  return { send, calls, rows: history.rows };
}

test('a request is an execution of the application’s request tool, masked and recorded', async () => {
  const { send, calls, rows } = world();
  const headers = { Cookie: 'session=1', 'X-Seen': SECRET };
  const result = await send({ method: 'POST', headers, body: { a: 1 } });
  const info = {
    toolSlug: 'crm-request',
    applicationSlug: 'crm',
    connectionResolution: 'explicit',
    connectionId: 7,
  };
  expect(result).toMatchObject({
    outcome: { isSuccess: true, output: { status: 200, body: 'seen ***' } },
    historyId: 1,
    info,
  });
  expect(calls[0]).toMatchObject({
    tool: { retryClass: 'unsafe', execution: { type: 'passthrough' } },
    fields: { method: 'POST', headers: { cookie: 'session=1' } },
  });
  expect(rows.get(1)).toMatchObject({
    isSettled: true,
    info,
    fields: { method: 'POST', path: '/x', headers: { cookie: '***', 'x-seen': '***' }, body: { a: 1 } },
  });
});

test('only a request that reads may be repeated', async () => {
  const { send, calls } = world();
  for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS']) await send({ method });
  expect(calls.map(({ tool }) => tool.retryClass)).toEqual(['readOnly', 'readOnly', 'unsafe', 'unsafe']);
});

test('a refused request calls no vendor and leaves no row', async () => {
  const outside: Preview = {
    type: 'refused',
    errorMessage: 'path',
    inputIssues: [{ field: 'path', issue: `must be below the base URL, not ${SECRET}` }],
  };
  const cases: [World, Partial<VendorRequest>, unknown][] = [
    [{ isLicensed: false }, {}, { code: 'CONNECTION_BLOCKED' }],
    [{ connector: { baseUrl: null } }, {}, { code: 'VALIDATION_ERROR', details: [{ field: 'path' }] }],
    [{ connector: { kind: 'OPA' } }, {}, { code: 'NOT_FOUND' }],
    [
      { preview: outside },
      { dryRun: true },
      {
        code: 'VALIDATION_ERROR',
        details: [{ field: 'path', issue: 'must be below the base URL, not ***' }],
      },
    ],
    [{ preview: outside }, {}, { code: 'VALIDATION_ERROR' }],
  ];
  for (const [o, request, refusal] of cases) {
    const { send, calls, rows } = world(o);
    await expect(send(request)).rejects.toMatchObject(refusal as object);
    expect(calls).toEqual([]);
    expect(rows.size).toBe(0);
  }
});

test('a dry run shows what would be sent, and sends and records nothing', async () => {
  const { send, calls, rows } = world();
  expect(await send({ dryRun: true })).toMatchObject({
    outcome: { isSuccess: true, output: { type: 'http', url: 'http://vendor.test/x' } },
    historyId: undefined,
  });
  expect(calls).toEqual([]);
  expect(rows.size).toBe(0);
});
