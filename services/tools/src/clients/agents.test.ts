import { createRouterTransport } from '@connectrpc/connect';
import { encodeOutcome } from '@fairlead/agent-channel/outcome';
import { TaskService } from '@fairlead/contracts/agents/v1/task_service_pb';
import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import type { ConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import { testCall, testConnector, testOptions, testTool } from '@fairlead/connector-runtime/testing/calls';
import { systemClock } from '@fairlead/service-kit/clock';
import { CALLER_HEADER, verifyCaller } from '@fairlead/service-kit/context/caller-token';
import { REQUEST_ID_HEADER } from '@fairlead/service-kit/context/context';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { testCallerKeys } from '@fairlead/service-kit/testing/rpc';
import { expect, test } from 'vitest';
import { createAgentsClient, withAgents } from './agents.ts';

const outcome = (errorMessage: string): ToolOutcome => ({
  isSuccess: false,
  errorMessage,
  attempts: 0,
  isUnauthorized: false,
});

test('calls of the kind OPA go to their agents, all others run here', async () => {
  const here: Pick<ConnectorRuntime, 'execute'> = { execute: () => Promise.resolve(outcome('here')) };
  // The code under test calls no other method of a runtime.
  const runtime = withAgents(here as ConnectorRuntime, {
    execute: () => Promise.resolve(outcome('agent')),
  });
  const tool = testTool({ type: 'handler', handler: 'sendRequest' });
  const run = (kind: 'OPA' | 'Regular') =>
    runtime.execute(testCall(tool, { connector: testConnector({ kind }) }), testOptions());
  expect(await run('OPA')).toMatchObject({ errorMessage: 'agent' });
  expect(await run('Regular')).toMatchObject({ errorMessage: 'here' });
});

test('a call belongs to the request that makes it: its id and its canaries go on', async () => {
  const seen: unknown[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(TaskService, {
      runCall(_request, { requestHeader }) {
        const scope = { audience: 'agents', keys: testCallerKeys };
        const { canaries } = verifyCaller(requestHeader.get(CALLER_HEADER) ?? '', scope, new Date());
        seen.push({ requestId: requestHeader.get(REQUEST_ID_HEADER), canaries });
        return { outcomeJson: encodeOutcome(outcome('agent')) };
      },
    });
  });
  const peer = { service: 'agents', addresses: [], transport, close: () => Promise.resolve() };
  const agents = createAgentsClient({
    peer,
    callerKeys: testCallerKeys,
    clock: systemClock,
    log: createLogger({ service: 'test', level: 'silent' }),
  });
  const origin = { requestId: 'request-1', canaries: ['agents'] };
  const call = testCall(testTool({ type: 'handler', handler: 'sendRequest' }));
  expect(await agents.execute(call, { ...testOptions(), connectionId: 7, origin })).toMatchObject({
    errorMessage: 'agent',
  });
  expect(seen).toEqual([origin]);
});
