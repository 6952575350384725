import type { JsonObject } from '@fairlead/connector-model/json';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { CallOptions, ToolOutcome } from '../call.ts';
import { startAskingMcpServer } from '../testing/asking-mcp-server.ts';
import type { AskingMcpServer, RunningTool } from '../testing/asking-mcp-server.ts';
import { testCall, testConnector, testCredential, testOptions, testTool } from '../testing/calls.ts';
import { mcpEvents, mcpResult, startTestMcpServer } from '../testing/mcp-server.ts';
import { testWorkerRuntime } from '../testing/worker-runtime.ts';
import type { CallingClient } from './calling-client.ts';

const runtime = testWorkerRuntime();
const WAIT = { timeout: 90_000 };
const QUESTION = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };

/** A client that answers nothing until the test does. */
function silentClient(parts: Partial<CallingClient> = {}) {
  const told: string[] = [];
  const asked: { method: string; answer: PromiseWithResolvers<JsonObject> }[] = [];
  const client: CallingClient = {
    capabilities: { elicitation: {} },
    logLevel: 'debug',
    wantsProgress: true,
    takesInputRequired: false,
    principal: 'ada',
    notify: (method) => void told.push(method),
    request(method) {
      const answer = Promise.withResolvers<JsonObject>();
      asked.push({ method, answer });
      return answer.promise;
    },
    ...parts,
  };
  return { told, asked, client };
}

/** A server with one tool, `do`; closed after the test. */
async function serve(run: (call: RunningTool) => Promise<JsonObject>): Promise<AskingMcpServer> {
  const server = await startAskingMcpServer({ do: run });
  onTestFinished(() => server.close());
  return server;
}

function call(serverUrl: string, options: Partial<CallOptions>): Promise<ToolOutcome> {
  const called = testCall(testTool({ type: 'mcp', toolName: 'do' }), {
    connector: testConnector({ slug: 'mcp-7', name: 'MCP server', kind: 'MCPClient' }),
    credential: testCredential({ serverUrl }),
  });
  return runtime.execute(called, testOptions(options));
}

it('a flood of messages reaches the client in part, and the call ends as ever', async () => {
  const { url } = await serve(async ({ send, progressToken = null }) => {
    for (let at = 0; at < 3_000; at += 1) {
      send({ method: 'notifications/progress', params: { progressToken, progress: at } });
      send({ method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(100) } });
    }
    return { content: [] };
  });
  const { told, client } = silentClient();
  expect(await call(url, { client })).toMatchObject({ isSuccess: true });
  expect(told.length).toBeGreaterThan(0);
  expect(told.length).toBeLessThan(6_000);
});

it('a message about another call, or of a kind that no client expects, reaches nobody', async () => {
  const { url } = await serve(async ({ send, progressToken }) => {
    for (const token of [null, 'x', Number(progressToken) + 1])
      send({ method: 'notifications/progress', params: { progressToken: token, progress: 1 } });
    send({ method: 'notifications/message', params: { level: 'no such level', data: '' } });
    send({ method: 'notifications/tools/list_changed' });
    return { content: [] };
  });
  const { told, client } = silentClient();
  expect(await call(url, { client })).toMatchObject({ isSuccess: true });
  expect(told).toEqual([]);
});

it('requests that are too large, too many at once, or that the client cannot answer are answered with an error', async () => {
  const answers: JsonObject[] = [];
  const { url } = await serve(async ({ ask }) => {
    answers.push(await ask('elicitation/create', { message: 'x'.repeat(2 * 1024 * 1024) }));
    answers.push(await ask('sampling/createMessage', { messages: [] }));
    answers.push(await ask('tools/call', { name: 'do' }));
    const many = Array.from({ length: 9 }, () => ask('elicitation/create', QUESTION));
    answers.push(await Promise.race(many));
    return { content: [] };
  });
  const { asked, client } = silentClient();
  expect(await call(url, { client })).toMatchObject({ isSuccess: true });
  const noAnswer = {
    error: { code: -32_603, message: 'The client did not answer a request of the MCP server.' },
  };
  const unknown = { error: { code: -32_601 } };
  expect(answers).toMatchObject([noAnswer, unknown, unknown, noAnswer]);
  expect(asked.map(({ method }) => method)).toEqual(Array<string>(8).fill('elicitation/create'));
});

it('a ping is answered while the client thinks', async () => {
  const { url } = await serve(async ({ ask }) => {
    void ask('elicitation/create', QUESTION);
    const ponged = await ask('ping', {});
    return { content: [{ type: 'text', text: JSON.stringify(ponged['result']) }] };
  });
  const outcome = await call(url, { client: silentClient().client });
  expect(outcome).toMatchObject({ isSuccess: true, output: { content: [{ text: '{}' }] } });
});

it('a request that follows the response of the call is for nobody', async () => {
  const question = { jsonrpc: '2.0', id: 'late', method: 'elicitation/create', params: QUESTION };
  const server = await startTestMcpServer(({ id, method }) =>
    method === 'tools/call' ? mcpEvents([mcpResult(id, { content: [] }), question]) : { status: 404 },
  );
  onTestFinished(() => server.close());
  const { asked, client } = silentClient();
  for (const connectionId of [undefined, 81, 81])
    expect(await call(server.url, { client, ...(connectionId && { connectionId }) })).toMatchObject({
      isSuccess: true,
    });
  expect(asked).toEqual([]);
});

it('an answer that comes after the end of its call goes nowhere', async () => {
  const { url, received } = await serve(async ({ ask, arguments: given }) => {
    if (given['ends'] !== true) void ask('elicitation/create', QUESTION);
    return { content: [] };
  });
  const { asked, client } = silentClient();
  expect(await call(url, { client, connectionId: 82 })).toMatchObject({ isSuccess: true });
  await vi.waitFor(() => expect(asked).toHaveLength(1), WAIT);
  asked[0]?.answer.resolve({ action: 'accept' });
  expect(await call(url, { client, connectionId: 82 })).toMatchObject({ isSuccess: true });
  expect(received.filter((method) => method === 'response')).toEqual([]);
});

it('a call that is cancelled while its client thinks is cancelled at the server, and its request ends', async () => {
  const { url, received } = await serve(async ({ ask }) => {
    await ask('elicitation/create', QUESTION);
    return await new Promise(() => undefined);
  });
  const caller = new AbortController();
  const { asked, client } = silentClient();
  const outcome = call(url, { client, signal: caller.signal });
  await vi.waitFor(() => expect(asked).toHaveLength(1), WAIT);
  caller.abort();
  expect(await outcome).toMatchObject({ isSuccess: false, errorMessage: 'The call was cancelled.' });
  await vi.waitFor(
    () => expect(received).toEqual(expect.arrayContaining(['notifications/cancelled', 'closed'])),
    WAIT,
  );
});

it('a question that the server withdraws is withdrawn at the client, and not answered', async () => {
  const answered: string[] = [];
  const { url, received } = await serve(async ({ ask, send }) => {
    const asked = (id: string) => ask('elicitation/create', QUESTION, id).then(() => void answered.push(id));
    void asked('first');
    const second = asked('second');
    const cancel = (requestId: string | number): void =>
      send({ method: 'notifications/cancelled', params: { requestId } });
    for (const id of ['unknown', 7, 'first']) cancel(id);
    await second;
    return { content: [] };
  });
  const withdrawn: unknown[] = [];
  const { client } = silentClient({
    request: (_method, { message }, signal) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => {
          withdrawn.push(message);
          reject(new Error('withdrawn'));
          answers.at(-1)?.({ action: 'decline' });
        });
        answers.push(resolve);
      }),
  });
  const answers: ((answer: JsonObject) => void)[] = [];
  expect(await call(url, { client })).toMatchObject({ isSuccess: true });
  expect(withdrawn).toEqual(['Who?']);
  expect(answered).toEqual(['second']);
  expect(received.filter((method) => method === 'response')).toHaveLength(1);
});
