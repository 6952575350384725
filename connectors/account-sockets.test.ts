import { expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { ToolExecution } from '@fairlead/connector-model/model';
import { createConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import {
  testCall,
  testConnector,
  testCredential,
  testEgress,
  testOptions,
  testRequest,
  testTool,
} from '@fairlead/connector-runtime/testing/calls';
import { startTestServer } from '@fairlead/connector-runtime/testing/http-server';
import type { TestResponse } from '@fairlead/connector-runtime/testing/http-server';
import { connectorHandlers } from './handlers.ts';

it.each<readonly [string, ToolExecution]>([
  [
    'HTTP tools',
    { type: 'http', request: testRequest('{{field.serverUrl}}'), response: { type: 'object', pointer: '' } },
  ],
  ['http-send-request', { type: 'handler', handler: 'sendRequest' }],
  ['MCP tools', { type: 'mcp', toolName: 'x' }],
])(
  '%s of one account share its sockets over all hosts, and leave those of others alone',
  async (_, execution) => {
    const silent = await startTestServer(() => new Promise<TestResponse>(() => undefined));
    onTestFinished(() => silent.close());
    // Every name is this machine.
    const egress = testEgress({
      resolve: () => Promise.resolve(['127.0.0.1']),
      limits: { perDestination: 1 },
    });
    onTestFinished(() => egress.close());
    const runtime = createConnectorRuntime({ egress, handlers: connectorHandlers });
    const ended = new AbortController();
    const execute = (accountId: string, host: string): Promise<unknown> => {
      const url = silent.url.replace('127.0.0.1', host);
      const fields: JsonObject = { url };
      const call = testCall(testTool(execution), {
        connector: testConnector({ slug: 'http' }),
        credential: testCredential({ serverUrl: url }),
        fields,
      });
      return runtime.execute(call, testOptions({ accountId, signal: ended.signal }));
    };
    const calls = [execute('busy', 'a.example'), execute('busy', 'b.example'), execute('other', 'c.example')];
    await vi.waitUntil(() => silent.requests.length === 2, { timeout: 90_000 });
    const hosts = silent.requests.map(({ headers }) => headers.host?.split('.')[0]);
    expect(new Set(hosts)).toEqual(new Set(['a', 'c']));
    ended.abort();
    await egress.close();
    await Promise.all(calls);
  },
);
