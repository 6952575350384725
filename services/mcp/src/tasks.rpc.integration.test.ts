import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { CredentialService } from '@fairlead/contracts/connections/v1/credential_service_pb';
import { EndpointService } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { McpServerService } from '@fairlead/contracts/mcp/v1/mcp_server_service_pb';
import {
  DetachedCallService,
  DetachedCallState,
} from '@fairlead/contracts/tools/v1/detached_call_service_pb';
import type { StartCallRequest } from '@fairlead/contracts/tools/v1/detached_call_service_pb';
import { notFound } from '@fairlead/errors/api-error';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import { testContext } from '@fairlead/service-kit/testing/context';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startMcp } from './testing/start-mcp.ts';
import type { TestMcp } from './testing/start-mcp.ts';

const ctx = testContext();
const KEY = 'call_1';
const TASKS = 'io.modelcontextprotocol/tasks';
const tool = {
  toolSlug: 'slow',
  applicationSlug: 'crm',
  toolName: 'slow',
  description: 'Takes long.',
  inputSchemaJson: jsonBytes({ type: 'object' }),
  outputSchemaJson: jsonBytes({ type: 'object' }),
};
const at = timestampFromDate(new Date('2026-11-29T12:00:00.000Z'));
const call = { callId: KEY, toolName: 'slow', createdAt: at, updatedAt: at, expiresAt: at };

let mcp: TestMcp;
let serverId: string;
const started: StartCallRequest[] = [];
let isCancelled = false;

beforeAll(async () => {
  const stores = { mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') };
  const present = (callId: string) => {
    if (callId !== KEY) throw notFound('Call');
    if (isCancelled) return { call: { ...call, state: DetachedCallState.CANCELLED } };
    const outcome = { case: 'result', value: { isSuccess: true, outputJson: jsonBytes({ n: 1 }) } } as const;
    return { call: { ...call, state: DetachedCallState.ENDED, outcome: { outcome } } };
  };
  mcp = await startMcp(stores, (router) =>
    router
      .service(CredentialService, {
        findConnections: ({ ids }) => ({ connections: ids.map((id) => ({ id, applicationSlug: 'crm' })) }),
      })
      .service(ToolService, { listChosenTools: () => ({ items: [tool], totalCount: 1 }) })
      .service(DetachedCallService, {
        startCall(request) {
          started.push(request);
          return { answer: { case: 'call', value: { ...call, state: DetachedCallState.WORKING } } };
        },
        getCall: ({ callId }) => present(callId),
        cancelCall({ callId }) {
          isCancelled = callId === KEY;
          return present(callId);
        },
        listCalls: () => ({ calls: [{ ...call, state: DetachedCallState.ENDED }], hasMore: false }),
      }),
  );
  const connections = [{ connectionId: 9 }];
  const created = await mcp.client(McpServerService).createMcpServer(ctx, { name: 'Support', connections });
  serverId = created.server?.id ?? '';
});
afterAll(() => mcp.close());

const capabilitiesOf = (request: StartCallRequest | undefined): unknown =>
  JSON.parse(Buffer.from(request?.client?.capabilitiesJson ?? []).toString());

async function send(method: string, params: object, isStateless = false) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} } },
  };
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method,
    params: isStateless ? { ...params, _meta: meta } : params,
  };
  const name: unknown = Reflect.get(params, 'taskId') ?? Reflect.get(params, 'name');
  const { httpStatus, body } = await mcp.client(EndpointService).handleMessage(ctx, {
    serverId,
    body: jsonBytes(message),
    ...(isStateless && {
      protocolVersion: '2026-07-28',
      methodHeader: method,
      ...(typeof name === 'string' && { nameHeader: name }),
    }),
  });
  const json: unknown = JSON.parse(Buffer.from(body).toString());
  return { status: httpStatus, json };
}

test('a client with a handshake asks for a task, reads its result and lists it', async () => {
  const asked = await send('tools/call', { name: 'slow', arguments: { n: 1 }, task: { ttl: 60_000 } });
  expect(asked.json).toMatchObject({ result: { task: { taskId: KEY, status: 'working' } } });
  expect(started.at(-1)).toMatchObject({
    serverId,
    toolName: 'slow',
    waitMs: 0,
    ttlMs: 60_000n,
    call: { toolSlug: 'slow', mcpServerName: 'Support' },
  });
  expect(capabilitiesOf(started.at(-1))).toEqual({});
  expect((await send('tasks/result', { taskId: KEY })).json).toMatchObject({
    result: { structuredContent: { n: 1 } },
  });
  expect((await send('tasks/list', {})).json).toMatchObject({ result: { tasks: [{ taskId: KEY }] } });
  expect((await send('tasks/get', { taskId: 'none' })).json).toMatchObject({ error: { code: -32_602 } });
});

test('a client that takes tasks gets one for a call that takes long, with its result', async () => {
  const call2026 = await send('tools/call', { name: 'slow' }, true);
  expect(call2026.json).toMatchObject({ result: { resultType: 'task', taskId: KEY } });
  expect(started.at(-1)).toMatchObject({ waitMs: 10_000, ttlMs: 0n });
  expect(capabilitiesOf(started.at(-1))).toEqual({ extensions: { [TASKS]: {} } });
  expect((await send('tasks/get', { taskId: KEY }, true)).json).toMatchObject({
    result: { resultType: 'complete', status: 'completed', result: { structuredContent: { n: 1 } } },
  });
  for (const method of ['tasks/result', 'tasks/list'])
    expect(await send(method, { taskId: KEY }, true)).toMatchObject({
      status: 404,
      json: { error: { code: -32_601 } },
    });
});

test('a cancelled task is acknowledged, and shows that it was cancelled', async () => {
  const { json } = await send('tasks/cancel', { taskId: KEY }, true);
  expect(Object.keys(Object(Reflect.get(Object(json), 'result')) as object).toSorted()).toEqual([
    '_meta',
    'resultType',
  ]);
  expect((await send('tasks/get', { taskId: KEY }, true)).json).toMatchObject({
    result: { status: 'cancelled' },
  });
});
