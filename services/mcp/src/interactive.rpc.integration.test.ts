import { create } from '@bufbuild/protobuf';
import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { CredentialService } from '@fairlead/contracts/connections/v1/credential_service_pb';
import { EndpointService } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { McpServerService } from '@fairlead/contracts/mcp/v1/mcp_server_service_pb';
import {
  AnswerClientRequestRequestSchema,
  ExecutionService,
} from '@fairlead/contracts/tools/v1/execution_service_pb';
import type {
  AnswerClientRequestRequest,
  McpClient,
} from '@fairlead/contracts/tools/v1/execution_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { startMcp } from './testing/start-mcp.ts';
import type { TestMcp } from './testing/start-mcp.ts';

const ctx = testContext();
const KEY = 'ask_0123456789';
const upstreamTool = {
  toolSlug: 'send',
  applicationSlug: 'mcp-9',
  toolName: 'send',
  description: 'Does it.',
  inputSchemaJson: jsonBytes({ type: 'object' }),
  outputSchemaJson: jsonBytes({ type: 'object' }),
  upstreamName: 'send',
};
const result = { content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }], _meta: { a: 1 } };

let mcp: TestMcp;
let serverId: string;
let clients: McpClient[] = [];
/** The answer for which the running tool waits. */
let answered = Promise.withResolvers<AnswerClientRequestRequest>();
/** Resolves when a waiting call is cancelled. */
let cancelled = Promise.withResolvers<void>();

/** Resolves when a call has sent all its messages. */
let flooded = Promise.withResolvers<void>();
/** More than connections buffer. */
const FLOOD = 400;
const LARGE = 'x'.repeat(64 * 1024);

beforeAll(async () => {
  const stores = { mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') };
  mcp = await startMcp(stores, (router) =>
    router
      .service(CredentialService, {
        findConnections: ({ ids }) => ({
          connections: ids.map((id) => ({ id, applicationSlug: 'mcp-9' })),
        }),
      })
      .service(ToolService, { listChosenTools: () => ({ items: [upstreamTool], totalCount: 1 }) })
      .service(ExecutionService, {
        async *executeToolInteractively({ call: executed, client }, h) {
          if (client !== undefined) clients.push(client);
          requestContext(h).signal.addEventListener('abort', () => cancelled.resolve());
          const told = (method: string, params: object) => ({
            message: { case: 'notification', value: { method, paramsJson: jsonBytes(params) } } as const,
          });
          if (executed?.fieldsJson['flood'] !== undefined) {
            for (let at = 0; at < FLOOD; at += 1)
              yield told('notifications/message', { level: 'error', data: LARGE });
            flooded.resolve();
            yield { message: { case: 'result', value: { isSuccess: true, outputJson: jsonBytes({}) } } };
            return;
          }
          yield told('notifications/progress', { progress: 1, total: 2 });
          yield told('notifications/message', { level: 'debug', data: 'quiet' });
          yield told('notifications/message', { level: 'error', data: 'loud' });
          const value = {
            key: KEY,
            method: 'elicitation/create',
            paramsJson: jsonBytes({ message: 'Who?' }),
          };
          yield { message: { case: 'request', value } };
          await answered.promise;
          const outputJson = jsonBytes(result);
          yield { message: { case: 'result', value: { isSuccess: true, isMcpResult: true, outputJson } } };
        },
        answerClientRequest(request) {
          if (request.key !== KEY) throw new ApiError('NOT_FOUND', 'Nobody waits.');
          answered.resolve(request);
          return {};
        },
      }),
  );
  const connections = [{ connectionId: 9 }];
  const created = await mcp.client(McpServerService).createMcpServer(ctx, { name: 'Support', connections });
  serverId = created.server?.id ?? '';
});
afterAll(() => mcp.close());
beforeEach(() => {
  clients = [];
  answered = Promise.withResolvers();
  cancelled = Promise.withResolvers();
  flooded = Promise.withResolvers();
});

const endpoint = () => mcp.client(EndpointService);

interface Session {
  readonly capabilities?: object;
  readonly logLevel?: string;
  readonly headers?: object;
}

/** The messages of a call, as JSON. */
async function* call(params: object, { capabilities = {}, logLevel = '', headers }: Session = {}, as = ctx) {
  const body = jsonBytes({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'send', ...params },
  });
  const request = {
    message: { serverId, body, ...headers },
    clientCapabilitiesJson: jsonBytes(capabilities),
    logLevel,
  };
  for await (const { message } of endpoint().handleMessageInteractively(as, request)) {
    const json = message.case === 'clientMessage' ? message.value : message.value?.body;
    yield JSON.parse(Buffer.from(json ?? []).toString()) as Readonly<Record<string, unknown>>;
  }
}

async function respond(id: string, response: object, as: RequestContext = ctx): Promise<number> {
  const body = jsonBytes({ jsonrpc: '2.0', id, ...response });
  return (await endpoint().handleMessage(as, { serverId, body })).httpStatus;
}

test('a client hears of progress and messages, is asked, and its answer reaches the running tool', async () => {
  const messages: unknown[] = [];
  const session = { capabilities: { elicitation: {} }, logLevel: 'warning' };
  const statuses: number[] = [];
  for await (const message of call({ _meta: { progressToken: 'mine' } }, session)) {
    messages.push(message);
    if (message['method'] === 'elicitation/create')
      statuses.push(await respond(KEY, { result: { action: 'accept', content: { n: 1 } } }));
  }
  expect(statuses).toEqual([202]);
  expect(messages).toEqual([
    {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'mine', progress: 1, total: 2 },
    },
    { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'error', data: 'loud' } },
    { jsonrpc: '2.0', id: KEY, method: 'elicitation/create', params: { message: 'Who?' } },
    { jsonrpc: '2.0', id: 1, result },
  ]);
  const { answer } = await answered.promise;
  expect(answer.case).toBe('resultJson');
  expect(Buffer.from(answer.value ?? []).toString()).toBe('{"action":"accept","content":{"n":1}}');
  const [client] = clients;
  expect(client).toMatchObject({ logLevel: 'warning', wantsProgress: true, takesInputRequired: false });
  expect(Buffer.from(client?.capabilitiesJson ?? []).toString()).toBe('{"elicitation":{}}');
});

test('a request without a handshake describes its client itself', async () => {
  answered.resolve(create(AnswerClientRequestRequestSchema));
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { sampling: {} },
    'io.modelcontextprotocol/logLevel': 'debug',
  };
  const headers = { protocolVersion: '2026-07-28', methodHeader: 'tools/call', nameHeader: 'send' };
  const messages = [];
  const inputs = { inputResponses: { name: { n: 1 } }, requestState: 'theirs' };
  for await (const message of call({ _meta, ...inputs }, { headers })) messages.push(message);
  expect(messages.slice(0, 2)).toMatchObject([
    { params: { level: 'debug' } },
    { params: { level: 'error' } },
  ]);
  expect(messages.at(-1)).toMatchObject({
    result: { ...result, resultType: 'complete', _meta: { a: 1 } },
  });
  expect(clients).toMatchObject([
    { logLevel: 'debug', wantsProgress: false, takesInputRequired: true, requestState: 'theirs' },
  ]);
  expect(Buffer.from(clients[0]?.inputResponsesJson ?? []).toString()).toBe('{"name":{"n":1}}');
});

test('an error of the client is passed on; a response that nobody waits for is accepted', async () => {
  expect(await respond(KEY, { error: { code: -1, message: 'no' } })).toBe(202);
  expect((await answered.promise).answer.case).toBe('errorJson');
  for (const id of ['ask_unknown', 'mcpask_unknown', 'other'])
    expect(await respond(id, { result: {} })).toBe(202);
});

test('responses of another account are refused', async () => {
  await expect(respond(KEY, { result: {} }, testContext())).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a client that leaves cancels the call', async () => {
  for await (const message of call({})) if (message['method'] === 'elicitation/create') break;
  await expect(cancelled.promise).resolves.toBeUndefined();
});

test('a description of the session that is wrong is refused', async () => {
  const first = call({}, { logLevel: 'loud' }).next();
  await expect(first).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});

test('a client that takes nothing holds up no tool; messages are dropped, and the response is not', async () => {
  const messages = call({ arguments: { flood: true } });
  let count = 1;
  await messages.next();
  await flooded.promise;
  let last: unknown;
  for await (const message of messages) {
    count += 1;
    last = message;
  }
  expect(count).toBeLessThan(FLOOD);
  expect(last).toMatchObject({ id: 1, result: { content: [{ text: '{}' }] } });
});
