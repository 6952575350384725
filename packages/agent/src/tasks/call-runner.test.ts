import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { encodeCall } from '@fairlead/agent-channel/call';
import type { AgentCall } from '@fairlead/agent-channel/call';
import type { CallOptions, VendorCall } from '@fairlead/connector-runtime/call';
import {
  testConnector,
  testEgress,
  testMethod,
  testRequest,
  testTool,
} from '@fairlead/connector-runtime/testing/calls';
import { createConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import { connectorHandlers, hasHandler } from '@fairlead/connectors/handlers';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { expect, onTestFinished, test } from 'vitest';
import type { Profile } from '../config/profiles.ts';
import { createCallRunner } from './call-runner.ts';

const method = testMethod({ type: 'none' });
const connector = testConnector({ slug: 'onprem-http', kind: 'OPA', authenticationMethods: [method] });
const tool = { ...testTool({ type: 'handler', handler: 'sendRequest' }), toolSlug: 'onprem-http-request' };
const limits = { signal: new AbortController().signal, timeoutMs: 10_000 };

/** Echoes each request's headers in the response. */
async function mirror(): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(request.headers));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // The server listens on a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function runner(
  profiles: readonly Profile[],
  execute?: (call: VendorCall, options: CallOptions) => Promise<never>,
) {
  const egress = testEgress();
  onTestFinished(() => egress.close());
  const { log, text } = captureLog();
  const runtime = createConnectorRuntime({ egress, handlers: connectorHandlers });
  const run = createCallRunner({
    runtime: execute === undefined ? runtime : { execute },
    hasHandler,
    profiles: new Map(profiles.map((profile) => [profile.name, profile])),
    version: '1.2.3',
    log,
  });
  const runCall = (members: Partial<AgentCall>, hasEffects = false) => {
    const call = { connector, method, tool, fields: {}, filters: [], sorts: [], ...members };
    return run({ call: encodeCall(call), release: '4.5.6', hasEffects }, limits);
  };
  return { run, runCall, text };
}

const erp = (baseUrl: string): Profile => ({
  name: 'erp',
  type: 'http',
  fields: { type: 'http', baseUrl, headers: { 'x-key': 'correct-horse' } },
  secrets: ['correct-horse'],
});
const orders: Profile = { name: 'orders', type: 'postgresql', fields: { type: 'postgresql' }, secrets: [] };

test('a call uses the profile that it names, whose secrets are masked even where a server repeats them', async () => {
  const url = await mirror();
  const { runCall } = runner([erp(url)]);
  const outcome = await runCall({ fields: { profile: 'erp', url: 'a' } });
  expect(outcome).toMatchObject({ isSuccess: true, output: { body: { 'x-key': '***' } } });
  const without = await runCall({ fields: { url } });
  expect(without).toMatchObject({ isSuccess: true, output: { body: { host: url.slice('http://'.length) } } });
  expect(JSON.stringify(without)).not.toContain('x-key');
});

test.each([['unknown'], ['orders'], [7]])(
  'a call that names another profile (%s) is refused with those that it may name',
  async (profile) => {
    const { runCall } = runner([erp('http://127.0.0.1:1'), orders]);
    const issue = "is not a profile of type http in the agent's configuration: it has erp";
    expect(await runCall({ fields: { profile, url: 'a' } })).toMatchObject({
      isSuccess: false,
      inputIssues: [{ field: 'fields.profile', issue }],
    });
  },
);

test('a request that the platform describes gets no profile: it could send the values anywhere', async () => {
  const given: VendorCall[] = [];
  const { runCall } = runner([erp('http://127.0.0.1:1')], (call) => {
    given.push(call);
    return Promise.reject(new Error('enough'));
  });
  const http = testTool({
    type: 'http',
    request: testRequest('/{{field.headers}}'),
    response: { type: 'object', pointer: '' },
  });
  const passthrough = { ...tool, execution: { type: 'passthrough' as const } };
  const other = { ...connector, slug: 'http' };
  await runCall({ tool: http, fields: { profile: 'erp' } });
  await runCall({ tool: passthrough, fields: { profile: 'erp' } });
  await runCall({ connector: other, fields: { profile: 'erp' } });
  expect(given.map(({ credential }) => credential)).toEqual(
    Array.from({ length: 3 }, () => ({ version: 1, fields: {}, secrets: [] })),
  );
  await runCall({ fields: { profile: 'erp' } });
  expect(given.at(-1)?.credential.secrets).toEqual(['correct-horse']);
});

test('each profile has sessions of its own, so that calls of one do not end those of another', async () => {
  const given: unknown[] = [];
  const crm: Profile = { ...erp('http://127.0.0.1:1'), name: 'crm' };
  const { runCall } = runner([erp('http://127.0.0.1:1'), crm], (_call, { connectionId }) => {
    given.push(connectionId);
    return Promise.reject(new Error('enough'));
  });
  for (const profile of ['erp', 'crm', 'erp']) await runCall({ fields: { profile } });
  await runCall({});
  expect(given).toEqual([1, 2, 1, 0]);
});

test('a call whose handler this release does not have, or that it cannot read, names the version that it needs', async () => {
  const { run, runCall } = runner([]);
  const later = testTool({ type: 'handler', handler: 'later' });
  const expected = 'needs agent version 4.5.6 or later; this is 1.2.3. Nothing was executed.';
  expect(JSON.stringify(await runCall({ tool: later }))).toContain(expected);
  const unreadable = { call: Buffer.from('{"later":true}'), release: '4.5.6', hasEffects: true };
  expect(JSON.stringify(await run(unreadable, limits))).toContain(expected);
});

test('a defect fails its call alone, and says whether something may have happened', async () => {
  const { runCall, text } = runner([], () => Promise.reject(new Error('a defect')));
  expect(JSON.stringify(await runCall({}, true))).toContain('Its outcome is not known.');
  expect(JSON.stringify(await runCall({}, false))).toContain('Call it again.');
  expect(text()).toContain('a defect');
});
