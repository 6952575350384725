import { ApiError, validationError } from '@fairlead/errors/api-error';
import { jsonText } from '@fairlead/service-kit/json/lazy-json';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { createToolSearch } from '../../caches/tool-search.ts';
import type { McpClient } from '../../domain/mcp-client.ts';
import type { CallOutcome, ToolCall } from '../../ports/tool-calls.ts';
import { unaryChannel } from '../../testing/clients.ts';
import { servedServer, servedTool } from '../../testing/served.ts';
import { MemoryTasks, task } from '../../testing/memory-tasks.ts';
import { ownConnections } from '../../testing/own-connections.ts';
import { TASKS_EXTENSION } from '../../domain/task.ts';
import { callServerTool } from './call-server-tool.ts';

const served = servedServer([servedTool('echo')]);

function setUp(outcome: CallOutcome | ApiError, isStateless = false) {
  const calls: ToolCall[] = [];
  const deps = {
    toolSearch: createToolSearch(1),
    ownConnections: ownConnections(),
    detachedCalls: new MemoryTasks(),
    toolCalls: {
      execute(_ctx: unknown, call: ToolCall) {
        calls.push(call);
        return outcome instanceof ApiError ? Promise.reject(outcome) : Promise.resolve(outcome);
      },
    },
  };
  const call = (params: Readonly<Record<string, string>>) =>
    callServerTool(
      deps,
      testContext(),
      served,
      new Map(Object.entries(params).map(([name, json]) => [name, Buffer.from(json)])),
      unaryChannel({ isStateless }),
    );
  return { call, calls };
}

test('a tool is called by its target, with the name of the server', async () => {
  const { call, calls } = setUp({ kind: 'output', output: Buffer.from('{"a":1}') });
  const result = await call({ name: '"echo"', arguments: '{"n":1.50}' });
  expect(jsonText(result)).toContain('"structuredContent":{"a":1}');
  expect(calls).toMatchObject([{ target: { toolSlug: 'echo', connectionId: 7 }, mcpServerName: 'Support' }]);
  expect(Buffer.from(calls[0]?.fields['n'] ?? []).toString()).toBe('1.50');
});

test('a failure and a refusal are results; an error that says nothing of the call is none', async () => {
  const failed = await setUp({ kind: 'failure', errorMessage: 'No.' }).call({ name: '"echo"' });
  expect(failed).toEqual({ content: [{ type: 'text', text: 'No.' }], isError: true });
  const refused = await setUp(validationError({ field: 'fields.n', issue: 'is required' })).call({
    name: '"echo"',
  });
  expect(refused.isError).toBe(true);
  const away = setUp(new ApiError('TIMEOUT', 'Late.'));
  await expect(away.call({ name: '"echo"' })).rejects.toMatchObject({ code: -32_603 });
});

test('an unknown name executes nothing', async () => {
  const { call, calls } = setUp({ kind: 'output', output: Buffer.from('{}') });
  await expect(call({ name: '"other"' })).rejects.toMatchObject({ code: -32_602 });
  expect(calls).toEqual([]);
});

test('the result of another MCP server passes as it came, without its protocol’s own members', async () => {
  const sent = {
    content: [{ type: 'image', data: 'AA==', mimeType: 'image/png', annotations: { priority: 1 } }],
    structuredContent: { n: 1 },
    isError: true,
    more: 'kept',
  };
  const _meta = { 'io.modelcontextprotocol/serverInfo': { name: 'upstream' }, 'example.com/a': 1 };
  const result = Buffer.from(JSON.stringify({ ...sent, resultType: 'complete', _meta }));
  const passed = await setUp({ kind: 'mcpResult', result }).call({ name: '"echo"' });
  expect(JSON.parse(jsonText(passed))).toEqual({ ...sent, _meta: { 'example.com/a': 1 } });
  const asking = Buffer.from('{"resultType":"input_required","inputRequests":{}}');
  const asked = await setUp({ kind: 'mcpResult', result: asking }, true).call({ name: '"echo"' });
  expect(JSON.parse(jsonText(asked))).toEqual({ resultType: 'input_required', inputRequests: {} });
});

test('a result of another MCP server that is no object is an error', async () => {
  const { call } = setUp({ kind: 'mcpResult', result: Buffer.from('[]') });
  await expect(call({ name: '"echo"' })).rejects.toMatchObject({ code: -32_603 });
});

test('an error of another MCP server that its client has to see passes as it came', async () => {
  const sent = { code: -32_042, message: 'Sign in.', data: { elicitations: [{ elicitationId: 'e' }] } };
  const { call } = setUp({ kind: 'mcpError', error: Buffer.from(JSON.stringify(sent)) });
  const error: unknown = await call({ name: '"echo"' }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: -32_042, message: 'Sign in.' });
  expect(JSON.parse(jsonText(Reflect.get(Object(error), 'data')))).toEqual(sent.data);
  const odd = setUp({ kind: 'mcpError', error: Buffer.from('{"code":"x"}') });
  await expect(odd.call({ name: '"echo"' })).rejects.toMatchObject({ code: -32_603 });
});

test('a client that takes tasks gets the result in time, or a task; a client with a handshake asks for it', async () => {
  const started: unknown[] = [];
  const call = (
    answer: Awaited<ReturnType<MemoryTasks['start']>>,
    client: Partial<McpClient>,
    params: Readonly<Record<string, string>> = {},
  ) => {
    const detachedCalls = {
      start(_ctx: unknown, _call: unknown, o: object) {
        started.push(o);
        return Promise.resolve(answer);
      },
    };
    const toolCalls = { execute: () => Promise.reject(new Error('not called')) };
    const all = Object.entries({ name: '"echo"', ...params });
    return callServerTool(
      { toolSearch: createToolSearch(1), ownConnections: ownConnections(), toolCalls, detachedCalls },
      testContext(),
      served,
      new Map(all.map(([name, json]) => [name, Buffer.from(json)])),
      unaryChannel(client),
    );
  };
  const taking = { isStateless: true, capabilities: { extensions: { [TASKS_EXTENSION]: {} } } };
  const output = { kind: 'output', output: Buffer.from('{"a":1}') } as const;
  const inTime = await call({ kind: 'outcome', outcome: output }, taking);
  expect(jsonText(inTime)).toContain('"structuredContent":{"a":1}');
  const late = { kind: 'task', task: task() } as const;
  expect(await call(late, taking)).toMatchObject({ resultType: 'task', taskId: 'call_1' });
  const asked = await call(late, {}, { task: '{"ttl":60000}' });
  expect(asked).toMatchObject({ task: { taskId: 'call_1', status: 'working' } });
  expect(started).toMatchObject([
    { serverId: served.server.id, toolName: 'echo', waitMs: 10_000 },
    { waitMs: 10_000 },
    { waitMs: 0, ttlMs: 60_000 },
  ]);
});
