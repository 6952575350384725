import { ApplicationKind } from '@fairlead/contracts/catalog/v1/application_pb';
import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { CredentialService } from '@fairlead/contracts/connections/v1/credential_service_pb';
import { EndpointService } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { McpServerService } from '@fairlead/contracts/mcp/v1/mcp_server_service_pb';
import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { UpstreamService } from '@fairlead/contracts/tools/v1/upstream_service_pb';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startMcp } from './testing/start-mcp.ts';
import type { TestMcp } from './testing/start-mcp.ts';

const ctx = testContext();
const KEY = 'ask_0123456789';
const ANSWER = { action: 'accept', content: { name: 'Ada' } };
const DEMAND = {
  resultType: 'input_required',
  inputRequests: { who: { method: 'elicitation/create', params: { message: 'Who?' } } },
  requestState: 'theirs',
};

let mcp: TestMcp;
let serverId: string;
const answered = Promise.withResolvers<string>();

beforeAll(async () => {
  const stores = { mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') };
  const none = jsonBytes([]);
  mcp = await startMcp(stores, (router) =>
    router
      .service(CredentialService, {
        findConnections: ({ ids }) => ({
          connections: ids.map((id) => ({ id, applicationSlug: 'mcp-9', kind: ApplicationKind.MCP_CLIENT })),
        }),
      })
      .service(ToolService, { listChosenTools: () => ({ items: [], totalCount: 0 }) })
      .service(ExecutionService, {
        answerClientRequest({ key, answer }) {
          answered.resolve(`${key} ${Buffer.from(answer.value ?? []).toString()}`);
          return {};
        },
      })
      .service(UpstreamService, {
        readLists: () => ({
          outcome: {
            case: 'lists' as const,
            value: {
              promptsJson: jsonBytes([{ name: 'greet' }]),
              resourcesJson: none,
              resourceTemplatesJson: none,
              hasPrompts: true,
            },
          },
        }),
        // A server without a handshake requests input in its result, others while they work.
        async *callMethodInteractively({ client }) {
          const inputs = Buffer.from(client?.inputResponsesJson ?? []).toString();
          let json: object = { messages: [], said: inputs };
          if (client?.takesInputRequired && inputs === '') json = DEMAND;
          else if (!client?.takesInputRequired) {
            const paramsJson = jsonBytes({ message: 'Who?' });
            yield {
              message: {
                case: 'request' as const,
                value: { key: KEY, method: 'elicitation/create', paramsJson },
              },
            };
            json = { messages: [], said: await answered.promise };
          }
          const outcome = { case: 'resultJson' as const, value: jsonBytes(json) };
          yield { message: { case: 'result' as const, value: { outcome } } };
        },
      }),
  );
  const connections = [{ connectionId: 9 }];
  const created = await mcp.client(McpServerService).createMcpServer(ctx, { name: 'Support', connections });
  serverId = created.server?.id ?? '';
});
afterAll(() => mcp.close());

/** The messages of a prompts/get request, as JSON. */
async function* getPrompt(params: object, o: { readonly capabilities?: object; readonly headers?: object }) {
  const request = { jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name: 'greet', ...params } };
  const message = { serverId, body: jsonBytes(request), ...o.headers };
  const clientCapabilitiesJson = jsonBytes(o.capabilities ?? {});
  const endpoint = mcp.client(EndpointService);
  for await (const { message: sent } of endpoint.handleMessageInteractively(ctx, {
    message,
    clientCapabilitiesJson,
  })) {
    const json = sent.case === 'clientMessage' ? sent.value : sent.value?.body;
    yield JSON.parse(Buffer.from(json ?? []).toString()) as Readonly<Record<string, unknown>>;
  }
}

test('a prompt asks the client of a session, whose answer reaches the tools service', async () => {
  const messages: unknown[] = [];
  for await (const message of getPrompt({}, { capabilities: { elicitation: {} } })) {
    messages.push(message);
    const body = jsonBytes({ jsonrpc: '2.0', id: KEY, result: ANSWER });
    if (message['method'] === 'elicitation/create')
      await mcp.client(EndpointService).handleMessage(ctx, { serverId, body });
  }
  expect(messages).toMatchObject([
    { id: KEY, method: 'elicitation/create', params: { message: 'Who?' } },
    { id: 1, result: { messages: [], said: `${KEY} ${JSON.stringify(ANSWER)}` } },
  ]);
});

test('a prompt asks a client without a handshake in the result, and gets the answers with the next request', async () => {
  const headers = { protocolVersion: '2026-07-28', methodHeader: 'prompts/get', nameHeader: 'greet' };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  };
  const rounds: unknown[] = [];
  for (const inputs of [{}, { inputResponses: { who: ANSWER }, requestState: 'theirs' }])
    for await (const message of getPrompt({ _meta, ...inputs }, { headers })) rounds.push(message);
  expect(rounds).toMatchObject([
    { result: DEMAND },
    { result: { resultType: 'complete', said: JSON.stringify({ who: ANSWER }) } },
  ]);
});
