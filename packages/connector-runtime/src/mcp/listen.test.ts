import type { JsonObject } from '@fairlead/connector-model/model';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  testCall,
  testConnector,
  testCredential,
  testMethod,
  testOptions,
  testTool,
} from '../testing/calls.ts';
import { startSubscriptionServer } from '../testing/subscription-server.ts';
import type { SubscriptionServer } from '../testing/subscription-server.ts';
import { testWorkerRuntime } from '../testing/worker-runtime.ts';
import { mcpRequestTool } from './mcp-request.ts';

const runtime = testWorkerRuntime();
let server: SubscriptionServer;
beforeAll(async () => {
  server = await startSubscriptionServer(['x://1']);
});
afterAll(() => server.close());

it('the client of a listening call is told of changed resources until it leaves', async () => {
  const told: [string, JsonObject][] = [];
  const left = new AbortController();
  const call = {
    ...testCall(testTool({ type: 'mcp', toolName: '' }), {
      connector: testConnector({ slug: 'mcp', kind: 'MCPClient' }),
      method: testMethod(),
      credential: testCredential({ serverUrl: server.url }),
    }),
    tool: mcpRequestTool({ type: 'listen', uris: ['x://1', 'x://2'] }),
  };
  const ended = runtime.execute(
    call,
    testOptions({
      connectionId: 7,
      signal: left.signal,
      client: {
        principal: undefined,
        capabilities: {},
        wantsProgress: false,
        wantsChanges: true,
        takesInputRequired: false,
        notify: (method, params) => void told.push([method, params]),
        request: () => Promise.reject(new Error('Nobody is asked.')),
      },
    }),
  );
  await expect.poll(() => server.subscribed, { timeout: 30_000 }).toEqual(['x://1', 'x://2']);
  server.update('x://1');
  await expect.poll(() => told).toEqual([['notifications/resources/updated', { uri: 'x://1' }]]);
  left.abort();
  expect(await ended).toMatchObject({ isSuccess: false, errorMessage: 'The call was cancelled.' });
});
