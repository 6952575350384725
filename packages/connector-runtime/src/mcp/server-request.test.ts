import { randomBytes } from 'node:crypto';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { CallOptions, ToolOutcome } from '../call.ts';
import {
  testCall,
  testConnector,
  testCredential,
  testMethod,
  testOptions,
  testTool,
} from '../testing/calls.ts';
import { startEverythingServer } from '../testing/everything-server.ts';
import type { EverythingServer } from '../testing/everything-server.ts';
import { mcpResult, startTestMcpServer } from '../testing/mcp-server.ts';
import type { McpMessage, TestMcpServer } from '../testing/mcp-server.ts';
import { startModernMcpServer } from '../testing/modern-mcp-server.ts';
import { testWorkerRuntime } from '../testing/worker-runtime.ts';
import type { CallingClient } from './calling-client.ts';
import { mcpRequestTool } from './mcp-request.ts';
import type { McpRequest, PassthroughMethod } from './mcp-request.ts';

const runtime = testWorkerRuntime();
const servers: TestMcpServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

function send(
  serverUrl: string,
  request: McpRequest,
  options: Partial<CallOptions> = {},
): Promise<ToolOutcome> {
  const call = {
    ...testCall(testTool({ type: 'mcp', toolName: '' }), {
      connector: testConnector({ slug: 'mcp', kind: 'MCPClient' }),
      method: testMethod(),
      credential: testCredential({ serverUrl }),
    }),
    tool: mcpRequestTool(request),
  };
  return runtime.execute(call, testOptions({ takesUnbuilt: true, connectionId: 7, ...options }));
}

async function outputOf(serverUrl: string, request: McpRequest): Promise<JsonObject> {
  const outcome = await send(serverUrl, request);
  if (!outcome.isSuccess) throw new Error(outcome.errorMessage);
  return outcome.output;
}

const method = (name: PassthroughMethod, params: JsonObject): McpRequest => ({
  type: 'method',
  method: name,
  params: LazyJson.of(params),
});

const base64: unknown = expect.stringMatching(/^[A-Za-z0-9+/=]+$/);

describe('with the reference server', () => {
  let server: EverythingServer;
  beforeAll(async () => {
    server = await startEverythingServer();
  });
  afterAll(() => server.close());

  it('reads its prompts, resources and templates as it sends them', async () => {
    const lists = await outputOf(server.url, { type: 'lists' });
    expect(lists).toMatchObject({
      hasPrompts: true,
      hasResources: true,
      hasCompletions: true,
      hasSubscriptions: true,
    });
    expect(lists['prompts']).toContainEqual({
      name: 'args-prompt',
      title: 'Arguments Prompt',
      description: 'A prompt with two arguments, one required and one optional',
      arguments: [
        { name: 'city', description: 'Name of the city', required: true },
        { name: 'state', required: false },
      ],
    });
    expect(lists['resources']).toContainEqual(
      expect.objectContaining({
        uri: 'demo://resource/static/document/features.md',
        mimeType: 'text/markdown',
      }),
    );
    expect(lists['resourceTemplates']).toContainEqual(
      expect.objectContaining({ uriTemplate: 'demo://resource/dynamic/text/{resourceId}' }),
    );
  });

  it('gets a prompt, reads a resource and completes an argument', async () => {
    expect(
      await outputOf(server.url, method('prompts/get', { name: 'args-prompt', arguments: { city: 'Ulm' } })),
    ).toEqual({
      result: {
        messages: [{ role: 'user', content: { type: 'text', text: "What's weather in Ulm?" } }],
      },
    });
    const uri = 'demo://resource/dynamic/blob/1';
    expect(await outputOf(server.url, method('resources/read', { uri }))).toMatchObject({
      result: { contents: [{ uri, blob: base64 }] },
    });
    const ref = { type: 'ref/prompt', name: 'completable-prompt' };
    const argument = { name: 'department', value: 'E' };
    expect(await outputOf(server.url, method('completion/complete', { ref, argument }))).toMatchObject({
      result: { completion: { values: ['Engineering'] } },
    });
  });

  it('returns an error of the server with its code', async () => {
    const uri = 'demo://resource/none';
    expect(await outputOf(server.url, method('resources/read', { uri }))).toEqual({
      error: { code: -32_602, message: `MCP error -32602: Resource ${uri} not found` },
    });
  });
});

/** A server with prompts and resources that answers by `respond`, and refuses everything else. */
async function serverWith(
  respond: (message: McpMessage) => JsonObject | undefined,
  capabilities: JsonObject = { prompts: {}, resources: {} },
): Promise<TestMcpServer> {
  const server = await startTestMcpServer(
    (message) => {
      const result = respond(message);
      const error = { code: -32_601, message: 'Method not found' };
      return {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(
          result === undefined
            ? { jsonrpc: '2.0', id: message.id ?? null, error }
            : mcpResult(message.id, result),
        ),
      };
    },
    [],
    undefined,
    capabilities,
  );
  servers.push(server);
  return server;
}

describe('with servers of all kinds', () => {
  it('passes unknown members of a result on, without those of the version', async () => {
    const contents = [{ uri: 'x://1', text: 'a', size: 1, _meta: { own: true } }];
    const { url } = await serverWith(({ method: name }) =>
      name === 'resources/read'
        ? { contents, extra: 7, resultType: 'complete', ttlMs: 9, cacheScope: 'public', _meta: { a: 1 } }
        : undefined,
    );
    expect(await outputOf(url, method('resources/read', { uri: 'x://1' }))).toEqual({
      result: { contents, extra: 7, _meta: { a: 1 } },
    });
  });

  it('a resource of 5 MiB arrives whole', async () => {
    const blob = randomBytes(5 * 1024 * 1024).toString('base64');
    const { url } = await serverWith(({ method: name }) =>
      name === 'resources/read' ? { contents: [{ uri: 'x://1', blob }] } : undefined,
    );
    const outcome = await send(url, method('resources/read', { uri: 'x://1' }));
    const bytes = outcome.isSuccess ? outcome.unbuilt?.bytes : undefined;
    expect(JSON.parse(Buffer.from(bytes ?? []).toString())).toEqual({
      result: { contents: [{ uri: 'x://1', blob }] },
    });
  });

  it('reads every page of a list, and ends one that never ends', async () => {
    let pages = 0;
    const { url } = await serverWith(({ method: name, params }) => {
      if (name !== 'prompts/list') return name === 'resources/list' ? { resources: [] } : undefined;
      pages += 1;
      const nextCursor = String(Number(params?.cursor ?? 0) + 1);
      return { prompts: [{ name: `p${nextCursor}` }], nextCursor };
    });
    const { prompts } = await outputOf(url, { type: 'lists' });
    expect(prompts).toHaveLength(pages);
    expect(pages).toBe(100);
  });

  it('leaves out items without a name and those that are too large, and cuts lists that are', async () => {
    const large = { uri: 'x://large', name: 'large', description: 'x'.repeat(70_000) };
    const many = Array.from({ length: 1_200 }, (_item, at) => ({ uri: `x://${at}`, name: String(at) }));
    const { url } = await serverWith(({ method: name }) =>
      name === 'resources/list' ? { resources: [{ uri: '', name: 'none' }, large, ...many] } : undefined,
    );
    const lists = await outputOf(url, { type: 'lists' });
    expect(lists['resources']).toEqual(many.slice(0, 1_000));
    expect(lists['resourceTemplates']).toEqual([]);
  });

  it('asks a server for no list that it does not declare', async () => {
    const { url, received } = await serverWith(() => undefined, { tools: {} });
    expect(await outputOf(url, { type: 'lists' })).toEqual({
      hasPrompts: false,
      hasResources: false,
      hasCompletions: false,
      hasSubscriptions: false,
      prompts: [],
      resources: [],
      resourceTemplates: [],
    });
    expect(received.some(({ method: name }) => name?.endsWith('/list'))).toBe(false);
  });
});

describe('a prompt that asks', () => {
  const question = {
    method: 'elicitation/create',
    params: { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
  };
  const demand = { resultType: 'input_required', inputRequests: { who: question }, requestState: 'state 1' };
  const answer = { action: 'accept', content: { name: 'Ada' } };
  const prompt = method('prompts/get', { name: 'greet' });

  /** A client that gives this answer to everything. */
  function client(takesInputRequired: boolean, parts: Partial<CallingClient> = {}) {
    const asked: string[] = [];
    const calling: CallingClient = {
      principal: 'ada',
      capabilities: { elicitation: {} },
      wantsProgress: false,
      takesInputRequired,
      notify: () => undefined,
      request(name) {
        asked.push(name);
        return Promise.resolve(answer);
      },
      ...parts,
    };
    return { asked, client: calling };
  }

  async function asking() {
    const server = await startModernMcpServer((params) =>
      params['inputResponses'] === undefined ? demand : { messages: [], said: params['inputResponses'] },
    );
    onTestFinished(() => server.close());
    return server.url;
  }

  it('asks in its result a client that takes that, whose answers come with the next request', async () => {
    const url = await asking();
    const first = client(true);
    expect(await send(url, prompt, first)).toMatchObject({ isSuccess: true, output: { result: demand } });
    const again = client(true, { inputResponses: { who: answer }, requestState: 'state 1' });
    expect(await send(url, prompt, again)).toMatchObject({
      output: { result: { messages: [], said: { who: answer } } },
    });
    expect(first.asked).toEqual([]);
  });

  it('asks another client while it waits', async () => {
    const other = client(false);
    expect(await send(await asking(), prompt, other)).toMatchObject({
      output: { result: { messages: [], said: { who: answer } } },
    });
    expect(other.asked).toEqual(['elicitation/create']);
  });
});
