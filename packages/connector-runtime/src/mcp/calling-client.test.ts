import type { JsonObject } from '@fairlead/connector-model/json';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CallOptions, ToolOutcome } from '../call.ts';
import { testCall, testConnector, testCredential, testOptions, testTool } from '../testing/calls.ts';
import { startEverythingServer } from '../testing/everything-server.ts';
import type { EverythingServer } from '../testing/everything-server.ts';
import { startModernMcpServer } from '../testing/modern-mcp-server.ts';
import { testWorkerRuntime } from '../testing/worker-runtime.ts';
import { ClientError, forwardedCapabilities } from './calling-client.ts';
import type { CallingClient } from './calling-client.ts';

const runtime = testWorkerRuntime();
const WAIT = { timeout: 90_000 };
const EVERYTHING = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };

/** A client that records all notifications and requests, and gives these answers. */
function recordingClient(
  parts: Partial<CallingClient> & { readonly answers?: Readonly<Record<string, JsonObject | Error>> } = {},
) {
  const { answers = {}, ...rest } = parts;
  const told: { method: string; params: JsonObject }[] = [];
  const asked: { method: string; params: JsonObject }[] = [];
  const client: CallingClient = {
    capabilities: EVERYTHING,
    wantsProgress: true,
    takesInputRequired: false,
    principal: 'user 1',
    notify: (method, params) => void told.push({ method, params }),
    request(method, params) {
      asked.push({ method, params });
      const answer = answers[method] ?? new Error('not answered');
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    ...rest,
  };
  return { told, asked, client };
}

/** Calls a tool of a server, and returns the server's whole result. */
function call(
  serverUrl: string,
  toolName: string,
  fields: JsonObject,
  options: Partial<CallOptions> & { readonly isTask?: boolean } = {},
): Promise<ToolOutcome> {
  const { isTask = false, ...rest } = options;
  const called = testCall(testTool({ type: 'mcp', toolName, isTask }), {
    connector: testConnector({ slug: 'mcp-7', name: 'MCP server', kind: 'MCPClient' }),
    credential: testCredential({ serverUrl }),
    fields,
  });
  return runtime.execute(called, testOptions({ takesMcpResult: true, ...rest }));
}

/** The result of a call that succeeded, as text. */
const textOf = (outcome: ToolOutcome): string =>
  outcome.isSuccess ? JSON.stringify(outcome.output) : outcome.errorMessage;

describe.each(['streamableHttp', 'sse'] as const)('with the reference server over %s', (wire) => {
  let server: EverythingServer;
  beforeAll(async () => {
    server = await startEverythingServer(wire);
  });
  afterAll(() => server.close());

  it('asks the client what the server asks, while the tool runs', async () => {
    const { asked, client } = recordingClient({
      answers: {
        'elicitation/create': { action: 'accept', content: { name: 'Ada' } },
        'sampling/createMessage': {
          model: 'm',
          role: 'assistant',
          content: { type: 'text', text: 'A poem.' },
        },
        'roots/list': { roots: [{ uri: 'file:///work', name: 'Work' }] },
      },
    });
    expect(textOf(await call(server.url, 'trigger-elicitation-request', {}, { client }))).toContain(
      'Name: Ada',
    );
    expect(
      textOf(await call(server.url, 'trigger-sampling-request', { prompt: 'hi' }, { client })),
    ).toContain('A poem.');
    // Asks on the standalone stream, outside of any response.
    expect(textOf(await call(server.url, 'get-roots-list', {}, { client }))).toContain('file:///work');
    // The server also asks for the roots shortly after each session begins.
    const questions = asked.filter(({ method }) => method !== 'roots/list');
    expect(questions.map(({ method }) => method)).toEqual(['elicitation/create', 'sampling/createMessage']);
    expect(questions[0]?.params).toMatchObject({ requestedSchema: { type: 'object' } });
    expect(asked.map(({ method }) => method)).toContain('roots/list');
  });

  it('runs a tool that the server runs only as a task, and asks the client what the task asks', async () => {
    const { asked, told, client } = recordingClient({
      answers: { 'elicitation/create': { action: 'accept', content: { interpretation: 'technical' } } },
    });
    const outcome = await call(
      server.url,
      'simulate-research-query',
      { topic: 'python', ambiguous: true },
      { client, isTask: true },
    );
    expect(textOf(outcome)).toContain('technical');
    expect(textOf(outcome)).not.toContain('_meta');
    const questions = asked.filter(({ method }) => method === 'elicitation/create');
    expect(questions).toHaveLength(1);
    expect(questions[0]?.params).not.toHaveProperty('_meta');
    expect(told.map(({ method }) => method)).toContain('notifications/tasks');
  });

  it('tells the server of an error that the client answers, and that nobody answered', async () => {
    const refusing = recordingClient({
      answers: { 'sampling/createMessage': new ClientError(-1, 'User rejected') },
    });
    const arguments_ = { prompt: 'hi' };
    expect(textOf(await call(server.url, 'trigger-sampling-request', arguments_, refusing))).toContain(
      'User rejected',
    );
    expect(
      textOf(await call(server.url, 'trigger-sampling-request', arguments_, recordingClient())),
    ).toContain('did not answer');
  });

  it('reports progress to a client that wants it, and to no other', async () => {
    const slow = { duration: 0.2, steps: 2 };
    const { told, client } = recordingClient();
    await call(server.url, 'trigger-long-running-operation', slow, { client });
    expect(told).toEqual(
      [1, 2].map((progress) => ({ method: 'notifications/progress', params: { progress, total: 2 } })),
    );
    const other = recordingClient({ wantsProgress: false });
    await call(server.url, 'trigger-long-running-operation', slow, other);
    expect(other.told).toEqual([]);
  });

  it('returns the result of a tool as the server sent it, errors included', async () => {
    const image = await call(server.url, 'get-tiny-image', {});
    expect(image).toMatchObject({
      isSuccess: true,
      output: { content: [{ type: 'text' }, { type: 'image', mimeType: 'image/png' }, { type: 'text' }] },
    });
    const structured = await call(server.url, 'get-structured-content', { location: 'Chicago' });
    expect(structured).toMatchObject({
      isSuccess: true,
      output: { content: [{ type: 'text' }], structuredContent: {} },
    });
    const failed = await call(server.url, 'no-such-tool', {});
    expect(failed).toMatchObject({
      isSuccess: false,
      isToolUnknown: true,
      errorMessage: expect.stringContaining('no-such-tool') as string,
      mcpResult: { isError: true, content: [{ type: 'text' }] },
    });
  });

  it('keeps a session for the calls of one principal with the same capabilities', async () => {
    const opened = (): number =>
      server.lines.filter((line) => /Session initialized|Client Connected/.test(line)).length;
    const before = opened();
    // The server's output may come after its response.
    const expectOpened = (count: number) => expect.poll(() => opened() - before).toBe(count);
    const echo = (parts: Partial<CallingClient> = {}) =>
      call(server.url, 'echo', { message: 'hi' }, { connectionId: 77, ...recordingClient(parts) });
    for (let times = 0; times < 3; times += 1) expect(textOf(await echo())).toContain('Echo: hi');
    await expectOpened(1);
    await echo({ principal: 'user 2' });
    await echo({ capabilities: { roots: {} } });
    await expectOpened(3);
    await echo();
    await echo({ principal: 'user 2' });
    await expectOpened(3);
    await echo({ principal: undefined });
    await echo({ principal: undefined });
    await call(server.url, 'echo', { message: 'hi' }, { connectionId: 77 });
    await expectOpened(6);
  });
});

it('only capabilities that can be passed on are declared to a server', () => {
  const declared = {
    experimental: {},
    roots: { listChanged: true },
    elicitation: { url: {}, form: { applyDefaults: true }, other: {} },
    sampling: null,
  };
  expect(JSON.stringify(forwardedCapabilities(declared))).toBe(
    '{"elicitation":{"form":{},"url":{}},"roots":{}}',
  );
  expect(forwardedCapabilities({ sampling: { tools: {} } })).toEqual({ sampling: { tools: {} } });
});

describe('with a server of 2026-07-28', () => {
  const question = {
    method: 'elicitation/create',
    params: { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
  };
  const demand = { resultType: 'input_required', inputRequests: { who: question }, requestState: 'state 1' };

  it('a client that takes them gets the server’s requests in the result, and its answers go with the next call', async () => {
    const server = await startModernMcpServer((params) =>
      params['inputResponses'] === undefined
        ? demand
        : { content: [{ type: 'text', text: JSON.stringify(params) }] },
    );
    onTestFinished(() => server.close());
    const { client, asked } = recordingClient({ takesInputRequired: true });
    expect(await call(server.url, 'greet', {}, { client })).toMatchObject({
      isSuccess: true,
      output: demand,
    });
    const answers = {
      inputResponses: { who: { action: 'accept', content: { name: 'Ada' } } },
      requestState: 'state 1',
    };
    const second = await call(server.url, 'greet', {}, { client: { ...client, ...answers } });
    expect(JSON.parse(textOfContent(second))).toMatchObject(answers);
    expect(asked).toEqual([]);
    expect(server.declared()).toEqual({ elicitation: { form: {}, url: {} }, sampling: {}, roots: {} });
  });

  it('a state that the server refuses is an error for the client; other wrong parameters are failures of the tool', async () => {
    const error = { code: -32_602, message: 'Invalid or expired requestState' };
    const server = await startModernMcpServer(() => ({ error }));
    onTestFinished(() => server.close());
    const { client } = recordingClient({ takesInputRequired: true });
    const refused = await call(server.url, 'greet', {}, { client: { ...client, requestState: 'forged' } });
    expect(refused).toMatchObject({ isSuccess: false, mcpError: error });
    expect(await call(server.url, 'greet', {}, { client })).not.toHaveProperty('mcpError');
  });

  it('another client is asked what the server asks in its result', async () => {
    const server = await startModernMcpServer((params) =>
      params['inputResponses'] === undefined
        ? demand
        : { content: [{ type: 'text', text: JSON.stringify(params) }] },
    );
    onTestFinished(() => server.close());
    const answer = { action: 'accept', content: { name: 'Ada' } };
    const { client, asked } = recordingClient({ answers: { 'elicitation/create': answer } });
    const outcome = await call(server.url, 'greet', {}, { client });
    expect(JSON.parse(textOfContent(outcome))).toMatchObject({
      inputResponses: { who: answer },
      requestState: 'state 1',
    });
    expect(asked).toMatchObject([{ method: 'elicitation/create', params: { message: 'Who?' } }]);
    const refusing = recordingClient({ answers: { 'elicitation/create': new ClientError(-1, 'No.') } });
    expect(await call(server.url, 'greet', {}, refusing)).toMatchObject({
      isSuccess: false,
      errorMessage: 'The client refused a request of the MCP server: No.',
    });
    expect(await call(server.url, 'greet', {})).toMatchObject({
      isSuccess: false,
      errorMessage: 'The tool asks for input that this call cannot give.',
    });
  });

  it('is told the level of log messages, which reach the client', async () => {
    const server = await startModernMcpServer(
      (params) => ({ content: [{ type: 'text', text: JSON.stringify(params['_meta']) }] }),
      [
        { method: 'notifications/message', params: { level: 'info', data: 'too little' } },
        { method: 'notifications/message', params: { level: 'error', logger: 'l', data: { at: 1 } } },
      ],
    );
    onTestFinished(() => server.close());
    const { client, told } = recordingClient({ logLevel: 'warning' });
    const outcome = await call(server.url, 'greet', {}, { client });
    expect(JSON.parse(textOfContent(outcome))).toMatchObject({
      'io.modelcontextprotocol/logLevel': 'warning',
    });
    expect(told).toEqual([
      { method: 'notifications/message', params: { level: 'error', logger: 'l', data: { at: 1 } } },
    ]);
  });
});

function textOfContent(outcome: ToolOutcome): string {
  if (!outcome.isSuccess) throw new Error(outcome.errorMessage);
  // The same request as the test server sends it.
  const [block] = outcome.output['content'] as unknown as readonly { readonly text: string }[];
  return block?.text ?? '';
}

it('sets the level of log messages at a server before 2026-07-28 once, and passes them on', async () => {
  const server = await startEverythingServer();
  onTestFinished(() => server.close());
  const { told, client } = recordingClient({ logLevel: 'debug' });
  const options = { client, connectionId: 78 };
  await call(server.url, 'toggle-simulated-logging', {}, options);
  await vi.waitFor(async () => {
    await call(server.url, 'echo', { message: 'hi' }, options);
    expect(told.map(({ method }) => method)).toContain('notifications/message');
  }, WAIT);
});
