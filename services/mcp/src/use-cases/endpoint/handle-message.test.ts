import { ApiError, validationError } from '@fairlead/errors/api-error';
import type { Caller } from '@fairlead/service-kit/context/caller';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../domain/mcp-server.ts';
import { createToolSearch } from '../../caches/tool-search.ts';
import type { ActiveServer, ServerOf } from '../../ports/active-servers.ts';
import type { CallOutcome, ToolCall } from '../../ports/tool-calls.ts';
import { channelDeps } from '../../testing/clients.ts';
import { nothingPasses } from '../../testing/passing.ts';
import { servedServer, servedTool, testServer } from '../../testing/served.ts';
import { MemoryTasks } from '../../testing/memory-tasks.ts';
import { wholeOf } from '../../endpoint/json-rpc.ts';
import { ownConnections } from '../../testing/own-connections.ts';
import { handleMessage } from './handle-message.ts';

const user = testContext();
const as = (caller: Caller): RequestContext => ({ ...user, caller });
const output = '{"id":12345678901234567890}';
const ownTool = servedTool('own', {
  target: { kind: 'tool', applicationSlug: 'crm', toolSlug: 'own', connectionId: undefined },
});
const flow = servedTool('flow', { target: { kind: 'workflow', workflowToken: 'wf' } });
const support = servedServer([servedTool('echo', { schemaProfile: 'anthropic' }), ownTool, flow]);

function setUp(
  o: { served?: ActiveServer | undefined; outcome?: CallOutcome | ApiError; ctx?: RequestContext } = {},
) {
  const { served = support, outcome = { kind: 'output', output: Buffer.from(output) }, ctx = user } = o;
  const calls: ToolCall[] = [];
  const asked: ServerOf[] = [];
  const deps = {
    ...channelDeps().deps,
    toolSearch: createToolSearch(1),
    ownConnections: ownConnections(),
    activeServers: {
      find: (_ctx: RequestContext, of: ServerOf) => {
        asked.push(of);
        return Promise.resolve('served' in o ? o.served : served);
      },
    },
    ...nothingPasses,
    detachedCalls: new MemoryTasks(),
    toolCalls: {
      execute: (_ctx: RequestContext, call: ToolCall) => {
        calls.push(call);
        return outcome instanceof ApiError ? Promise.reject(outcome) : Promise.resolve(outcome);
      },
      answer: () => Promise.resolve(),
    },
  };
  const send = async (method: string, params: object | string = {}, headers = {}) => {
    const json = typeof params === 'string' ? params : JSON.stringify(params);
    const body = Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${json}}`);
    const answer = await handleMessage(deps, ctx, { serverId: served.server.id, body, headers });
    const whole = wholeOf({ body: answer.body ?? Buffer.alloc(0), common: answer.common });
    const text = Buffer.from(whole).toString();
    const parsed: unknown = text === '' ? undefined : JSON.parse(text);
    return { status: answer.status, text, json: parsed };
  };
  return { send, calls, asked };
}

test('initialize answers with the requested version, or the newest, and identifies the server', async () => {
  const served = servedServer([], testServer({ name: 'Support', description: 'Ask me.' }));
  const { send } = setUp({ served });
  for (const [requested, answered] of [
    ['2025-03-26', '2025-03-26'],
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['2024-11-05', '2024-11-05'],
    ['2030-01-01', '2025-11-25'],
  ])
    expect((await send('initialize', { protocolVersion: requested, capabilities: {} })).json).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        protocolVersion: answered,
        capabilities: {
          tools: { listChanged: true },
          ...(answered === '2025-11-25' && {
            tasks: { cancel: {}, list: {}, requests: { tools: { call: {} } } },
          }),
        },
        serverInfo: { name: 'Support', version: '1.0.0' },
        instructions: 'Ask me.',
      },
    });
  expect((await send('initialize')).json).toMatchObject({ error: { code: -32_602 } });
});

test('ping is answered, and an unknown method is an error', async () => {
  const { send, asked } = setUp();
  expect((await send('ping')).json).toMatchObject({ result: {} });
  expect(asked).toEqual([]);
  for (const method of ['resources/list', 'server/discover', 'stateless tools/list'])
    expect(await send(method)).toMatchObject({ status: 200, json: { error: { code: -32_601 } } });
});

test('a level of log messages is accepted if there is such a level', async () => {
  const { send } = setUp();
  expect((await send('logging/setLevel', { level: 'warning' })).json).toMatchObject({ result: {} });
  for (const level of ['loud', 3, undefined])
    expect((await send('logging/setLevel', { level })).json).toMatchObject({ error: { code: -32_602 } });
});

test('tools/list goes on at its cursor', async () => {
  const { send } = setUp({
    served: servedServer(Array.from({ length: 1_001 }, (_tool, at) => servedTool(`t${at + 1_000}`))),
  });
  const first = await send('tools/list');
  const { tools, nextCursor } = Object(Reflect.get(Object(first.json), 'result')) as {
    tools: unknown[];
    nextCursor: string;
  };
  expect(tools).toHaveLength(1_000);
  expect((await send('tools/list', { cursor: nextCursor })).json).toMatchObject({
    result: { tools: [{ name: 't2000' }] },
  });
  for (const cursor of ['none', 7])
    expect((await send('tools/list', { cursor })).json).toMatchObject({ error: { code: -32_602 } });
});

test('a call runs with its arguments as they were sent, and its output comes back as it was', async () => {
  const { send, calls } = setUp();
  const { text } = await send('tools/call', `{"name":"echo","arguments":{"n":1.50,"s":"a"}}`);
  const [call] = calls;
  expect(call).toMatchObject({
    target: { toolSlug: 'echo', connectionId: 7 },
    schemaProfile: 'anthropic',
    toolsetId: undefined,
    endUserId: undefined,
    mcpServerName: 'Support',
  });
  expect(Buffer.from(call?.fields['n'] ?? []).toString()).toBe('1.50');
  expect(text).toContain(`"structuredContent":${output}`);
  expect(text).toContain('"text":"{\\"id\\":12345678901234567890}"');
});

test('a call without arguments, of a workflow, with the toolset of the server', async () => {
  const server = testServer({ settings: { ...DEFAULT_SETTINGS, toolsetId: 'ts' } });
  const { send, calls } = setUp({ served: servedServer([flow], server) });
  await send('tools/call', { name: 'flow' });
  expect(calls).toMatchObject([
    { target: { kind: 'workflow', workflowToken: 'wf' }, fields: {}, toolsetId: 'ts' },
  ]);
});

test('with identity user, the connection is one of the calling user’s own', async () => {
  const { send, calls } = setUp();
  await send('tools/call', { name: 'own' });
  expect(calls).toMatchObject([{ endUserId: `user:${String(Reflect.get(user.caller, 'userId'))}` }]);
  const server = testServer({ isAnonymousAllowed: true });
  const anonymous = setUp({
    served: servedServer([ownTool], server),
    ctx: as({ kind: 'anonymousClient', accountId: 'a', serverId: server.id }),
  });
  expect((await anonymous.send('tools/call', { name: 'own' })).text).toContain('FORBIDDEN: ');
  expect(anonymous.calls).toEqual([]);
});

test('a held tool is not listed, and a call of it is an error that says why', async () => {
  const { send, calls } = setUp({
    served: servedServer([servedTool('echo'), servedTool('held', { isHeld: true })]),
  });
  expect((await send('tools/list')).json).toMatchObject({ result: { tools: [{ name: 'echo' }] } });
  const { json, text } = await send('tools/call', { name: 'held' });
  expect(json).toMatchObject({ result: { isError: true } });
  expect(text).toMatch(/FORBIDDEN: .*it has changed/);
  expect(calls).toEqual([]);
});

test('a failed and a refused call are errors that the model reads', async () => {
  const failed = setUp({ outcome: { kind: 'failure', errorMessage: 'The vendor said no.' } });
  expect((await failed.send('tools/call', { name: 'echo' })).json).toMatchObject({
    result: { isError: true, content: [{ text: 'The vendor said no.' }] },
  });
  const refused = setUp({ outcome: validationError({ field: 'fields.n', issue: 'must be an integer' }) });
  const { text } = await refused.send('tools/call', { name: 'echo' });
  expect(text).toContain('VALIDATION_ERROR');
  expect(text).toContain('- n: must be an integer');
  const away = setUp({ outcome: new ApiError('UNAVAILABLE', 'Later.') });
  expect((await away.send('tools/call', { name: 'echo' })).json).toMatchObject({ error: { code: -32_603 } });
});

test.each([
  ['an unknown tool', { name: 'none' }],
  ['no name', {}],
  ['a name that is no text', { name: 1 }],
  ['arguments that are a list', { name: 'echo', arguments: [] }],
])('a call with %s is refused', async (_what, params) => {
  const { send, calls } = setUp();
  expect(await send('tools/call', params)).toMatchObject({ status: 200, json: { error: { code: -32_602 } } });
  expect(calls).toEqual([]);
});

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

test('without a handshake, results say that they are complete, and lists how long they may be kept', async () => {
  const { send } = setUp();
  const stateless = (method: string, params: object = {}, name?: string) =>
    send(method, { ...params, _meta }, { version: '2026-07-28', method, name });
  const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'Support', version: '1.0.0' } };
  const complete = { resultType: 'complete', _meta: serverInfo };
  const kept = { ...complete, ttlMs: 0, cacheScope: 'private' };
  expect((await stateless('server/discover')).json).toMatchObject({
    result: { ...kept, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
  });
  expect((await stateless('tools/list')).json).toMatchObject({ result: { ...kept, tools: [{}, {}, {}] } });
  expect((await stateless('tools/call', { name: 'echo' }, 'echo')).json).toMatchObject({
    result: { ...complete, structuredContent: {} },
  });
  for (const method of ['ping', 'initialize'])
    expect(await stateless(method)).toMatchObject({ status: 404, json: { error: { code: -32_601 } } });
});

test('without a handshake, a call whose headers contradict its arguments is refused and not made', async () => {
  const headerArguments = [{ header: 'region', path: ['region'] }];
  const { send, calls } = setUp({ served: servedServer([servedTool('echo', { headerArguments })]) });
  const headers = { version: '2026-07-28', method: 'tools/call', name: 'echo', params: { region: 'us' } };
  const params = { name: 'echo', arguments: { region: 'eu' } };
  expect(await send('tools/call', { ...params, _meta }, headers)).toMatchObject({
    status: 400,
    json: { error: { code: -32_020 } },
  });
  expect(calls).toEqual([]);
  expect(await send('tools/call', params)).toMatchObject({ status: 200, json: { result: {} } });
});

test('a server that is gone, or does not admit the caller, is not found', async () => {
  const { id } = support.server;
  const anonymous = (serverId: string): Caller => ({ kind: 'anonymousClient', accountId: 'a', serverId });
  for (const o of [{ served: undefined }, { ctx: as(anonymous(id)) }, { ctx: as(anonymous('other')) }])
    await expect(setUp(o).send('tools/list')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(
    setUp({ ctx: as({ kind: 'serviceForAccount', service: 'tools', accountId: 'a' }) }).send('tools/list'),
  ).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});

test('a key that is confined to another toolset than the server’s is forbidden', async () => {
  const { caller } = user;
  if (caller.kind !== 'user') throw new Error('no user');
  const ctx = as({ ...caller, confinement: { toolsetId: 'mine', keyId: 'k' } });
  const { send, asked } = setUp({ ctx });
  expect(await send('tools/list')).toMatchObject({ status: 200 });
  expect(asked).toMatchObject([{ accountId: caller.accountId, confinedTo: 'mine' }]);
  const server = testServer({ settings: { ...DEFAULT_SETTINGS, toolsetId: 'other' } });
  await expect(setUp({ ctx, served: servedServer([], server) }).send('tools/list')).rejects.toMatchObject({
    code: 'FORBIDDEN',
  });
});
