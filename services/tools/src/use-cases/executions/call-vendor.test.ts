import type { Credential, ToolCall, ToolOutcome } from '@fairlead/connector-runtime/call';
import type { CallingClient } from '@fairlead/connector-runtime/mcp/calling-client';
import { createConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import { testCall, testConnector, testEgress, testTool } from '@fairlead/connector-runtime/testing/calls';
import { startTestServer } from '@fairlead/connector-runtime/testing/http-server';
import { throwingEgress } from '@fairlead/connector-runtime/testing/throwing-egress';
import { connectorHandlers } from '@fairlead/connectors/handlers';
import { ApiError } from '@fairlead/errors/api-error';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, onTestFinished, test } from 'vitest';
import { authenticationMethod, connectorHead, oauthMethod, toolDefinition } from '../../testing/fixtures.ts';
import type { CredentialResult } from '../../ports/connections.ts';
import { callVendor } from './call-vendor.ts';

const credential = (version: number): Credential => ({
  version,
  fields: {},
  accessToken: `token-${version}`,
  secrets: [],
});
const unauthorized: ToolOutcome = {
  isSuccess: false,
  errorMessage: '401',
  attempts: 2,
  isUnauthorized: true,
};
const success: ToolOutcome = { isSuccess: true, output: { ok: true }, attempts: 1 };

/** Calls a vendor that returns these outcomes in turn, with version 1 of the credential. */
async function run(
  outcomes: readonly (ToolOutcome | Error)[],
  refresh: CredentialResult | Error = { kind: 'credential', credential: credential(2) },
  o: {
    method?: ToolCall['method'];
    remainingMs?: number;
    log?: Logger;
    client?: CallingClient;
    /** Notifications of the vendor during a call. */
    notified?: readonly string[];
  } = {},
) {
  const log: string[] = [];
  const result = await callVendor(
    {
      vendorLimits: { note: () => undefined },
      runtime: {
        execute({ credential: { accessToken } }, { client }) {
          for (const method of o.notified ?? []) client?.notify(method, {});
          const outcome = outcomes[log.filter((line) => line.startsWith('call')).length];
          log.push(`call with ${accessToken}`);
          return outcome instanceof Error || !outcome
            ? Promise.reject(outcome ?? new Error('one call too many'))
            : Promise.resolve(outcome);
        },
      },
      connections: {
        getCredentials(_ctx, connectionId, rejectedVersion) {
          log.push(`refresh ${connectionId} after ${rejectedVersion}`);
          return refresh instanceof Error ? Promise.reject(refresh) : Promise.resolve(refresh);
        },
        readToolsAgain(_ctx, of) {
          log.push(`read ${JSON.stringify(of)}`);
          return Promise.reject(new ApiError('UNAVAILABLE', 'away'));
        },
        addNeededScopes(_ctx, connectionId, scopes) {
          log.push(`connection ${connectionId} needs ${scopes.join(' ')}`);
          return Promise.reject(new ApiError('UNAVAILABLE', 'away'));
        },
      },
    },
    { ...testContext(), ...(o.log ? { log: o.log } : {}) },
    7,
    {
      connector: connectorHead(),
      method: o.method ?? oauthMethod(),
      tool: toolDefinition(),
      credential: credential(1),
      fields: {},
      filters: [],
      sorts: [],
    },
    { until: Date.now() + (o.remainingMs ?? 10_000), client: o.client },
  );
  return { result, log };
}

test('a rejected access token is refreshed once, the call repeated once, and the attempts are summed', async () => {
  const { result, log } = await run([unauthorized, success]);
  expect(log).toEqual(['call with token-1', 'refresh 7 after 1', 'call with token-2']);
  expect(result).toMatchObject({ outcome: { isSuccess: true }, attempts: 3 });
  expect(result.secrets).toEqual(['token-1', 'token-2']);
});

test('an MCP server that no longer has the tool has its tools read again; the outcome does not depend on that', async () => {
  const { result, log } = await run([
    { ...unauthorized, isUnauthorized: false, isToolUnknown: true },
    success,
  ]);
  expect(log).toEqual(['call with token-1', 'read {"connectionId":7}']);
  expect(result).toMatchObject({ outcome: { isSuccess: false, errorMessage: '401' } });
});

test('scopes that the call lacked are recorded; the outcome does not depend on that', async () => {
  const refused = { ...unauthorized, isUnauthorized: false, missingScopes: ['read', 'write'] };
  const { result, log } = await run([refused]);
  expect(log).toEqual(['call with token-1', 'connection 7 needs read write']);
  expect(result).toMatchObject({ outcome: { isSuccess: false, errorMessage: '401' } });
});

test('a second rejection is the outcome', async () => {
  const { result, log } = await run([unauthorized, unauthorized, success]);
  expect(log).toHaveLength(3);
  expect(result).toMatchObject({ outcome: { isSuccess: false }, attempts: 4 });
});

test('a second attempt that was refused is a failed call, not a refusal: the first one may have done something', async () => {
  const full: ToolOutcome = { isSuccess: false, errorMessage: 'full', attempts: 0, isUnauthorized: false };
  for (const refusal of [
    { isOverloaded: true as const },
    { isWithdrawn: true as const },
    { inputIssues: [] },
  ]) {
    const { result } = await run([unauthorized, { ...full, ...refusal }]);
    expect(result.outcome).toEqual(full);
    expect((await run([{ ...full, ...refusal }])).result.outcome).toMatchObject(refusal);
  }
});

test('a credential that is not an OAuth token is not refreshed', async () => {
  const { result, log } = await run([unauthorized], undefined, { method: authenticationMethod() });
  expect(log).toEqual(['call with token-1']);
  expect(result).toMatchObject({ outcome: { errorMessage: '401' }, attempts: 2 });
});

test('a refused refresh is reported to the caller', async () => {
  const { result } = await run([unauthorized], { kind: 'none', errorMessage: 'Sign in again.' });
  expect(result).toMatchObject({
    outcome: { isSuccess: false, errorMessage: 'Sign in again.' },
    attempts: 2,
  });
});

test('if the refresh fails or returns the same credential, the vendor’s result stays', async () => {
  const down = await run([unauthorized], new ApiError('UNAVAILABLE', 'down'));
  const same = await run([unauthorized], { kind: 'credential', credential: credential(1) });
  expect(down.result).toMatchObject({ outcome: { errorMessage: '401' }, attempts: 2 });
  expect(same.result).toMatchObject({ outcome: { errorMessage: '401' }, attempts: 2 });
});

test('no refresh starts after the deadline', async () => {
  expect((await run([unauthorized], undefined, { remainingMs: 0 })).log).toEqual(['call with token-1']);
});

test('a defect of the runtime is an outcome, not a refusal: the vendor may have been called', async () => {
  const { result } = await run([new Error('boom: token-1')]);
  expect(result.outcome).toMatchObject({
    isSuccess: false,
    errorMessage: 'The call failed because of an internal error in Fairlead.',
  });
});

test('a throw at any step of an HTTP conversation is a failed call', async () => {
  const server = await startTestServer(() => ({ body: { a: 1 } }));
  const egress = testEgress();
  onTestFinished(async () => {
    await Promise.all([server.close(), egress.close()]);
  });
  const connector = testConnector({ slug: 'http', name: 'HTTP' });
  const tool = testTool({ type: 'handler', handler: 'sendRequest' });
  const call = testCall(tool, { connector, fields: { method: 'GET', url: server.url } });
  const successes: boolean[] = [];
  while (successes.at(-1) !== true) {
    const step = successes.length + 1;
    const runtime = createConnectorRuntime({
      egress: throwingEgress(egress, step),
      handlers: connectorHandlers,
    });
    const getCredentials = (): Promise<never> => Promise.reject(new Error('not asked for'));
    const connections = { getCredentials, readToolsAgain: getCredentials, addNeededScopes: getCredentials };
    const deps = { runtime, connections, vendorLimits: { note: () => undefined } };
    const ctx = testContext({ accountId: 'acc_1' });
    const { outcome } = await callVendor(deps, ctx, 7, call, { until: Date.now() + 10_000 });
    successes.push(outcome.isSuccess);
  }
  expect(successes.length).toBeGreaterThan(2);
  expect(successes.indexOf(true)).toBe(successes.length - 1);
});

test('credential values in the message of a defect do not reach the log', async () => {
  const lines: string[] = [];
  const log = createLogger({
    service: 'test',
    level: 'info',
    destination: { write: (line: string) => lines.push(line) },
  });
  await run([new Error('boom: token-1')], undefined, { log });
  expect(lines.join()).toContain('boom: ***');
  expect(lines.join()).not.toContain('token-1');
});

test.each([
  [1, ['read', 'call']],
  [3, ['read', 'call', 'read']],
])(
  'tools that an MCP server says to have changed %i times during a call are read again',
  async (times, expected) => {
    const told: string[] = [];
    const client: CallingClient = {
      principal: 'ada',
      capabilities: {},
      wantsProgress: false,
      takesInputRequired: false,
      notify: (method) => void told.push(method),
      request: () => Promise.reject(new Error('nobody asks')),
    };
    const changed = Array.from({ length: times }, () => 'notifications/tools/list_changed');
    const { log } = await run([success], undefined, {
      client,
      notified: ['notifications/message', ...changed],
    });
    expect(log.map((line) => line.split(' ', 1)[0])).toEqual(expected);
    expect(log[0]).toBe('read {"connectionId":7,"isAnnounced":true}');
    expect(told).toEqual(['notifications/message']);
  },
);
