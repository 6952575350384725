import { expect, it, onTestFinished, vi } from 'vitest';
import { recordSpans } from '@fairlead/service-kit/testing/recording-tracer';
import { inSpan, startSpan } from '@fairlead/service-kit/telemetry/tracing';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import type { PoolLimits } from '@fairlead/worker-pool/limits';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { CallOptions, ToolOutcome } from '../call.ts';
import { OverloadError } from '../failure.ts';
import { createConnectorRuntime } from '../runtime.ts';
import {
  testCall,
  testConnector,
  testCredential,
  testEgress,
  testMethod,
  testOptions,
  testTool,
} from '../testing/calls.ts';
import { startTestServer } from '../testing/http-server.ts';
import { mcpResult, startTestMcpServer } from '../testing/mcp-server.ts';
import { PATIENT_LIMITS } from '../testing/worker-runtime.ts';
import { createHandlerWorkers } from './handler-workers.ts';
import { parseAnswer } from './handler-job.ts';

const MCP_CONNECTOR = testConnector({ kind: 'MCPClient' });
const MCP_METHOD = testMethod({ type: 'none' }, { test: { type: 'mcp' } });

const SECRET_HOST = '10.9.8.7';

function start(limits: Partial<PoolLimits> = {}) {
  const log = captureLog();
  const workers = createHandlerWorkers({
    entry: new URL('../testing/handler-worker.ts', import.meta.url),
    allow: ['127.0.0.0/8'],
    log: log.log,
    limits: { ...PATIENT_LIMITS, ...limits },
  });
  const egress = testEgress();
  onTestFinished(async () => {
    await Promise.all([workers.close(), egress.close()]);
  });
  const runtime = createConnectorRuntime({
    egress,
    handlers: async (slug, name) => workers.handler(slug, name),
  });
  const call = (
    handler: string,
    fields: JsonObject = {},
    options: Partial<CallOptions> = {},
  ): Promise<ToolOutcome> => {
    const credential = testCredential({ password: 'pass-word' }, { secrets: ['pass-word', SECRET_HOST] });
    const tool = testTool({ type: 'handler', handler });
    return runtime.execute(
      testCall(tool, { connector: testConnector(), credential, fields, top: 3 }),
      testOptions(options),
    );
  };
  return { call, log, runtime };
}

it('a handler in a worker gets the call, but not whose it is', async () => {
  const { call } = start();
  expect(await call('returnCall', { q: 'x' })).toEqual({
    isSuccess: true,
    output: {
      slug: 'acme',
      credential: { password: 'pass-word' },
      fields: { q: 'x' },
      top: 3,
      accountId: '',
    },
    attempts: 1,
  });
});

it('a call that its deadline cuts says so, although the worker reports its own error within the same millisecond', async () => {
  const { call } = start();
  await call('returnCall');
  for (let at = 0; at < 20; at += 1)
    expect(await call('wait', {}, { timeoutMs: 250.9 })).toMatchObject({
      errorMessage: 'Acme did not respond within 251 ms.',
    });
});

it('a large output is unbuilt for a caller who takes that', async () => {
  const { call } = start();
  const bytesOf = async (length: number, takesUnbuilt: boolean): Promise<string | undefined> => {
    const outcome = await call('returnText', { length }, { takesUnbuilt });
    if (!outcome.isSuccess) throw new Error(outcome.errorMessage);
    expect(outcome.output).toEqual({ text: 'x'.repeat(length) });
    return outcome.unbuilt === undefined ? undefined : Buffer.from(outcome.unbuilt.bytes).toString();
  };
  expect(await bytesOf(200_000, true)).toBe(`{"text":"${'x'.repeat(200_000)}"}`);
  expect(await bytesOf(200_000, false)).toBeUndefined();
  expect(await bytesOf(100_000, true)).toBeUndefined();
  expect(await call('returnText', { length: 1024 * 1024 }, { takesUnbuilt: true })).toMatchObject({
    errorMessage: expect.stringContaining('larger than 1 MiB') as string,
  });
});

it('its errors are what they are without a worker', async () => {
  const { call } = start();
  expect(await call('refuse')).toMatchObject({ errorMessage: 'No luck.', isUnauthorized: true });
  expect(await call('refuseInputs')).toMatchObject({
    inputIssues: [{ field: 'filters[0].field', issue: 'is unknown' }],
  });
});

it.each([true, false])(
  'the spans of its calls are below the span of the service; vendors see it: %s',
  async (toVendors) => {
    const { runtime } = start();
    const { spans, stop } = recordSpans({ toVendors });
    onTestFinished(stop);
    const server = await startTestServer(() => ({ status: 404 }));
    onTestFinished(() => server.close());
    const credential = testCredential({ serverUrl: `${server.url}/canary?key=canary` });
    const owner = [MCP_CONNECTOR, MCP_METHOD, credential] as const;
    const parents = ['first', 'second'].map((name) => startSpan({ name, kind: 'server' }));
    await Promise.all(
      parents.map((parent) => inSpan(parent, () => runtime.testCredential(...owner, testOptions()))),
    );
    const [first, second, ...calls] = spans;
    const attributes = {
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(server.url).port),
      'http.response.status_code': 404,
    };
    expect(calls.length).toBeGreaterThan(1);
    for (const call of calls)
      expect(call).toMatchObject({ kind: 'client', attributes, failure: '4xx', hasEnded: true });
    // HTTP+SSE is tried after Streamable HTTP.
    expect(new Set(calls.map(({ name }) => name))).toEqual(new Set(['POST', 'GET']));
    expect(new Set(calls.map(({ parentId }) => parentId))).toEqual(new Set([first?.spanId, second?.spanId]));
    const sent = new Set(server.requests.map(({ headers }) => headers['traceparent']));
    const known = parents.map((parent) => (toVendors ? parent?.headers()['traceparent'] : undefined));
    expect(sent).toEqual(new Set(known));
  },
);

it('an unexpected error is a failed call, and in the log without secrets', async () => {
  const { call, log } = start();
  for (const handler of ['defect', 'nothing']) {
    expect(await call(handler)).toMatchObject({
      isSuccess: false,
      errorMessage: 'The call failed because of an internal error in Fairlead.',
    });
  }
  const line = (handler: string, defect: string): unknown =>
    expect.objectContaining({
      level: 'error',
      connectorSlug: 'acme',
      handler,
      defect: expect.stringContaining(defect) as string,
    });
  expect(log.lines()).toContainEqual(line('defect', 'TypeError: the handler is wrong with ***'));
  expect(log.lines()).toContainEqual(line('nothing', 'acme has no nothing'));
});

it('a line that a worker logs has no secrets of its calls', async () => {
  const { call, log } = start();
  await call('connect', { host: SECRET_HOST, port: 80 });
  expect(log.lines()).toContainEqual(
    expect.objectContaining({
      msg: 'refused to connect to a blocked address',
      worker: { host: '***', port: 80 },
    }),
  );
});

it('nor has one that it logs when the call has ended', async () => {
  const { call, log } = start();
  expect(await call('connectLater', { host: SECRET_HOST })).toMatchObject({ isSuccess: true });
  const refused = (): unknown => log.lines().find(({ msg }) => msg?.startsWith('refused to connect'));
  await vi.waitUntil(refused, { timeout: 90_000 });
  expect(refused()).toMatchObject({ worker: { host: '***', port: 80 } });
});

it('its outbound calls pass the guard, and are logged and counted by the service', async () => {
  const { call, log } = start();
  const server = await startTestServer(() => ({ status: 200 }));
  onTestFinished(() => server.close());
  const { port } = new URL(server.url);
  expect(await call('connect', { host: 'localhost', port: Number(port) })).toMatchObject({ isSuccess: true });
  for (const host of ['169.254.169.254', '10.0.0.1', '::ffff:10.0.0.1', '0x0a000001']) {
    expect(await call('connect', { host, port: 80 })).toMatchObject({
      errorMessage: expect.stringContaining('Acme could not be reached') as string,
    });
  }
  expect(log.lines()).toContainEqual(
    expect.objectContaining({
      msg: 'refused to connect to a blocked address',
      service: 'test',
      worker: { host: '10.0.0.1', port: 80 },
    }),
  );
  expect(registry.render()).toMatch(
    /^egress_call_duration_seconds_count\{kind="socket",outcome="address_blocked"\} [1-9]/m,
  );
});

it('a throw in a listener is a failed call with an unknown outcome, and in the log without its message', async () => {
  const { call, log } = start();
  expect(await call('throwLater')).toMatchObject({
    isSuccess: false,
    errorMessage: 'The process that made the call failed. Its outcome is not known.',
  });
  const stack = expect.stringMatching(/^file:\S+\/testing\/handler-worker\.ts:\d+:\d+\n/) as string;
  expect(log.lines()).toContainEqual(
    expect.objectContaining({
      msg: 'an uncaught error ended a worker',
      defect: { name: 'Error', stack },
    }),
  );
  expect(JSON.stringify(log.lines())).not.toContain('pass-word');
  expect(await call('returnCall')).toMatchObject({ isSuccess: true });
});

it('a call that gets no worker until its deadline says that nothing was executed', async () => {
  const { call } = start({ workersPerAccount: 1, callsPerWorker: 1 });
  const controller = new AbortController();
  const held = call('wait', {}, { signal: controller.signal });
  expect(await call('returnCall', {}, { timeoutMs: 50 })).toEqual({
    isSuccess: false,
    errorMessage: 'Other calls did not end in time. Nothing was executed.',
    attempts: 1,
    isUnauthorized: false,
    isOverloaded: true,
  });
  controller.abort();
  expect(await held).toMatchObject({ errorMessage: 'The call was cancelled.' });
});

it('an MCP server that gets no worker is not asked, and nobody says that it failed', async () => {
  const { call, runtime } = start({ workersPerAccount: 1, callsPerWorker: 1 });
  const controller = new AbortController();
  const held = call('wait', {}, { signal: controller.signal });
  const server = await startTestServer(() => ({ status: 500 }));
  onTestFinished(() => server.close());
  const owner = [MCP_CONNECTOR, MCP_METHOD, testCredential({ serverUrl: server.url })] as const;
  const soon = testOptions({ timeoutMs: 50 });
  await expect(runtime.discoverMcpTools(...owner, soon)).rejects.toThrow(OverloadError);
  expect(await runtime.testCredential(...owner, soon)).toMatchObject({
    isSuccess: false,
    isOverloaded: true,
  });
  expect(server.requests).toEqual([]);
  controller.abort();
  await held;
});

it('the outcome of a call to an MCP server whose worker is lost is not known', async () => {
  const { call, runtime } = start();
  const asked = Promise.withResolvers<void>();
  const server = await startTestServer(() => {
    asked.resolve();
    return new Promise(() => undefined);
  });
  onTestFinished(() => server.close());
  const credential = testCredential({ serverUrl: server.url });
  const parts = { connector: MCP_CONNECTOR, method: MCP_METHOD, credential };
  const lost = runtime.execute(testCall(testTool({ type: 'mcp', toolName: 'do' }), parts), testOptions());
  await asked.promise;
  await call('throwLater');
  expect(await lost).toMatchObject({
    isSuccess: false,
    errorMessage: 'The process that made the call failed. Its outcome is not known.',
  });
});

it('an answer of a worker that may be compromised is checked', () => {
  for (const answer of [null, [], 'output', {}, { kind: 'else' }, { kind: 'output', output: [] }]) {
    expect(() => parseAnswer(answer)).toThrow('The answer of a worker is not');
  }
  const record = { kind: 'x', outcome: 'a series of its own', durationMs: 'long' };
  const sessions = [
    { kind: 'x', event: 'opened', count: 2 },
    { kind: 'mongodb', event: 'opened', count: 2 },
    { kind: 'mcp', event: 'its own', count: 1 },
    { kind: 'mcp', event: 'idle', count: -1 },
  ];
  expect(
    parseAnswer({ kind: 'failed', message: 7, isUnauthorized: 'yes', egress: [record], sessions }),
  ).toEqual({
    kind: 'failed',
    message: '',
    isUnauthorized: false,
    isToolUnknown: false,
    egress: [{ kind: 'http', outcome: 'connection_failed', durationMs: 0 }],
    sessions: [{ kind: 'mongodb', event: 'opened', count: 2 }],
    spans: [],
  });
  const attributes = { 'server.address': 'x'.repeat(1_000), 'server.port': 'y', secret: 'z' };
  const span = { name: 'a name of its own', attributes, startedAt: 5, endedAt: 1, failure: 'its own' };
  const reported = Array.from({ length: 200 }, () => span);
  const { spans } = parseAnswer({ kind: 'output', output: {}, spans: reported });
  expect(spans).toHaveLength(100);
  expect(spans[0]).toEqual({
    name: 'HTTP',
    attributes: { 'server.address': 'x'.repeat(300), 'server.port': 0 },
    startedAt: 5,
    endedAt: 5,
    failure: 'connection_failed',
  });
  const issues = Array.from({ length: 200 }, () => ({ field: 'a', issue: 7 }));
  expect(parseAnswer({ kind: 'inputs', issues })).toMatchObject({
    issues: Array.from({ length: 100 }, () => ({ field: 'a', issue: '' })),
  });
  expect(parseAnswer({ kind: 'egress', code: 'unheard of', message: 'x' })).toMatchObject({
    code: 'connection_failed',
  });
});

it('a call asks once its new session is open, and is not sent if it may not be', async () => {
  const { runtime } = start();
  const received: (string | undefined)[] = [];
  const server = await startTestMcpServer((message) => {
    if (message.method !== 'tools/call') return { status: 404 };
    received.push('tools/call');
    return { body: mcpResult(message.id, { content: [] }) };
  });
  onTestFinished(() => server.close());
  const parts = {
    connector: MCP_CONNECTOR,
    method: MCP_METHOD,
    credential: testCredential({ serverUrl: server.url }),
  };
  const call = testCall(testTool({ type: 'mcp', toolName: 'do' }), parts);
  const execute = (beforeSend: () => Promise<void>) =>
    runtime.execute(call, { ...testOptions(), beforeSend });
  const isShaken = () => server.received.some(({ method }) => method === 'notifications/initialized');
  const refuse = () => {
    if (isShaken()) received.push('asked');
    return isShaken() ? Promise.reject(new Error('revoked')) : Promise.resolve();
  };
  expect(await execute(refuse)).toMatchObject({ isSuccess: false, isWithdrawn: true });
  expect(received).toEqual(['asked']);
  expect(await execute(() => Promise.resolve())).toMatchObject({ isSuccess: true });
  expect(received).toEqual(['asked', 'tools/call']);
});
