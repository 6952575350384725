import type { ToolOutcome } from '@fairlead/connector-runtime/call';
import type { ConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import { testCall, testConnector, testOptions, testTool } from '@fairlead/connector-runtime/testing/calls';
import { expect, test } from 'vitest';
import { withAgents } from './agents.ts';

const outcome = (errorMessage: string): ToolOutcome => ({
  isSuccess: false,
  errorMessage,
  attempts: 0,
  isUnauthorized: false,
});

test('calls of the kind OPA go to their agents, all others run here', async () => {
  const here: Pick<ConnectorRuntime, 'execute'> = { execute: () => Promise.resolve(outcome('here')) };
  // Nothing else of a runtime is called.
  const runtime = withAgents(here as ConnectorRuntime, {
    execute: () => Promise.resolve(outcome('agent')),
  });
  const tool = testTool({ type: 'handler', handler: 'sendRequest' });
  const run = (kind: 'OPA' | 'Regular') =>
    runtime.execute(testCall(tool, { connector: testConnector({ kind }) }), testOptions());
  expect(await run('OPA')).toMatchObject({ errorMessage: 'agent' });
  expect(await run('Regular')).toMatchObject({ errorMessage: 'here' });
});
